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
  /// Converts n elements of the memory of `v`, from element `first` on.
  void read(const View& v, std::int64_t first, float* to, std::int64_t n) const {
    load(reinterpret_cast<std::byte*>(to), v.data + first * size, n);
  }
  void write(const View& v, std::int64_t first, const float* from, std::int64_t n) const {
    store(v.data + first * size, reinterpret_cast<const std::byte*>(from), n);
  }
};

}  // namespace taper::kernel
