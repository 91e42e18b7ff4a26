// Buffers with guard zones, and random contents, for tests of kernels over raw pointers.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace taper::test {

/// Buffer of n values between two guard zones. The heap block has exactly this size, so that
/// sanitizers detect accesses beyond it; the zones detect writes next to the values. The values are
/// initialized with `fill`, by default the mark of the guard zones.
template <class T> class Guarded {
 public:
  explicit Guarded(std::int64_t n, T fill = kMark)
      : data_(static_cast<std::size_t>(n) + 2 * kZone, kMark) {
    std::fill(data_.begin() + kZone, data_.end() - kZone, fill);
  }
  T* data() { return data_.data() + kZone; }
  const T* data() const { return data_.data() + kZone; }
  T& operator[](std::int64_t i) { return data()[i]; }
  const T& operator[](std::int64_t i) const { return data()[i]; }
  std::int64_t size() const { return static_cast<std::int64_t>(data_.size() - 2 * kZone); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }

  /// Returns true if the guard zones are unchanged.
  bool intact() const {
    const auto is_mark = [](T v) { return v == kMark; };
    return std::all_of(data_.begin(), data_.begin() + kZone, is_mark) &&
           std::all_of(data_.end() - kZone, data_.end(), is_mark);
  }

 private:
  static constexpr std::ptrdiff_t kZone = 32;
  static constexpr T kMark = static_cast<T>(-77);
  std::vector<T> data_;
};

/// Returns n values from a fixed sequence, in [-1, 1), on a grid of 1/64 so that ties occur.
template <class T> std::vector<T> random_values(std::int64_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) x = static_cast<T>(static_cast<int>(engine() % 128) - 64) / T{64};
  return v;
}

}  // namespace taper::test
