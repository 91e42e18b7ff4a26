// Conversion of ranges of 16-bit floats to and from f32.
#pragma once
#include <cstdint>

#include "cpu/convert.h"
#include "ops/op.h"

namespace taper::kernel {

/// Conversions between f32 and a 16-bit type.
struct Conversions {
  cpu::ConvertRun load = nullptr, store = nullptr;
  std::int64_t size = 2;

  explicit Conversions(DType t)
      : load(cpu::find_conversion(DType::f32, t)), store(cpu::find_conversion(t, DType::f32)) {}
  explicit operator bool() const { return load && store; }
  /// Converts n adjacent elements.
  void read(const void* from, float* to, std::int64_t n) const {
    load(reinterpret_cast<std::byte*>(to), static_cast<const std::byte*>(from), n);
  }
  void write(void* to, const float* from, std::int64_t n) const {
    store(static_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from), n);
  }
  /// Converts n elements of the memory of `v`, from element `first` on.
  void read(const View& v, std::int64_t first, float* to, std::int64_t n) const {
    read(v.data + first * size, to, n);
  }
  void write(const View& v, std::int64_t first, const float* from, std::int64_t n) const {
    write(v.data + first * size, from, n);
  }
};

}  // namespace taper::kernel
