#include "taper/core/dtype.h"

#include <atomic>

#include "core/check.h"
#include "core/dtype_table.h"

namespace taper {

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  const bool fa = is_floating_point(a), fb = is_floating_point(b);
  if (fa != fb) return fa ? a : b;
  if (fa) {
    if (a == DType::f64 || b == DType::f64) return DType::f64;
    return DType::f32;  // f32 with a 16-bit type, or the two 16-bit types with each other
  }
  if (is_barebones_unsigned(a) || is_barebones_unsigned(b))
    fail<DTypeError>(
        "promote_types: Promotion for uint16, uint32, uint64 types is not supported, attempted to "
        "promote {} and {}",
        names_of(a).scalar, names_of(b).scalar);
  if (a == DType::bool_) return b;
  if (b == DType::bool_) return a;
  if (a == DType::u8 || b == DType::u8) {
    const DType other = a == DType::u8 ? b : a;
    return other == DType::i8 ? DType::i16 : other;
  }
  return a < b ? a : b;  // in the enum, wider signed types come first
}

namespace {
std::atomic<DType> default_type{DType::f32};
}

DType default_dtype() { return default_type.load(std::memory_order_relaxed); }

void set_default_dtype(DType t) {
  if (!is_floating_point(t))
    fail<DTypeError>(
        "set_default_dtype: only floating-point types are supported as the default type: got {}",
        t);
  default_type.store(t, std::memory_order_relaxed);
}

}  // namespace taper
