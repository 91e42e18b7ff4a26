// ByteSource: decisions drawn from the input of a fuzz target.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "target.h"

namespace taper::fuzz {

/// Returns the bytes of the input, then pseudorandom bytes that depend on them, so that any input
/// determines any number of decisions.
class ByteSource {
 public:
  explicit ByteSource(Bytes input) : input_(input) {
    for (const std::byte b : input) mix(std::to_integer<std::uint64_t>(b));
  }
  std::uint8_t byte() {
    if (at_ < input_.size()) return std::to_integer<std::uint8_t>(input_[at_++]);
    mix(0);
    return static_cast<std::uint8_t>(state_ >> 56);
  }
  std::uint64_t word() {
    std::uint64_t w = 0;
    for (int i = 0; i < 8; ++i) w = w << 8 | byte();
    return w;
  }
  /// Returns an index below n, which is positive.
  std::size_t below(std::size_t n) {
    const std::size_t low = byte();
    return n <= 256 ? low % n : (low << 8 | byte()) % n;
  }
  /// Returns true once in n times.
  bool once_in(std::size_t n) { return below(n) == n - 1; }
  template <class T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  void mix(std::uint64_t b) { state_ = (state_ ^ b) * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u; }
  Bytes input_;
  std::size_t at_ = 0;
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace taper::fuzz
