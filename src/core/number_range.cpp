#include "core/number_range.h"

#include "core/check.h"

namespace taper {
namespace {

/// Returns the C++ type in PyTorch's messages about conversions: uint8_t, int, c10::Half, float.
std::string converted_type(DType dtype) {
  if (is_floating_point(dtype) || dtype == DType::bool_ || dtype == DType::i32)
    return std::string(names_of(dtype).c_type);
  return std::string(names_of(dtype).torch) + "_t";
}

}  // namespace

void reject_out_of_range(const Scalar& number, DType dtype, std::string_view op) {
  fail<RuntimeError>("{}: value cannot be converted to type {} without overflow: got {}", op,
                     converted_type(dtype), number);
}

}  // namespace taper
