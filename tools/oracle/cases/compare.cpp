#include "cases/compare.h"

#include <algorithm>
#include <cmath>

#include "core/element.h"
#include "taper/core/scalar.h"

namespace taper::oracle {
namespace {

// Bytes of a tensor in row-major order.
struct RowMajorTensor {
  explicit RowMajorTensor(const Tensor& t) : host(t.detach().cpu().contiguous()) {
    resolve(impl(host), LayoutRequest::row_major, view, scratch);
  }
  Tensor host;
  View view;
  Shape scratch;
};

bool same_bits(const View& a, const View& b, std::int64_t at) {
  const auto size = static_cast<std::int64_t>(size_of(a.dtype));
  return std::memcmp(a.data + at * size, b.data + at * size, static_cast<std::size_t>(size)) == 0;
}

}  // namespace

bool close(double actual, double expected, Tolerance tolerance) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  if (actual == expected) return true;
  return std::isfinite(actual) && std::isfinite(expected) &&
         std::abs(actual - expected) <= tolerance.atol + tolerance.rtol * std::abs(expected);
}

std::string difference(const Tensor& actual, const Tensor& expected, Tolerance tolerance) {
  if (!actual.defined()) return "tensor is undefined";
  if (actual.dtype() != expected.dtype())
    return "dtype " + std::string(name_of(actual.dtype())) + " instead of " +
           std::string(name_of(expected.dtype()));
  if (actual.shape() != expected.shape())
    return "shape " + actual.shape().str() + " instead of " + expected.shape().str();
  const RowMajorTensor a(actual), e(expected);
  const bool exact = tolerance.rtol == 0 && tolerance.atol == 0;
  std::int64_t num_different = 0, first = 0;
  double max_difference = 0;
  for (std::int64_t i = 0; i < actual.numel(); ++i) {
    const Element x = read_element(a.view, i), y = read_element(e.view, i);
    const bool is_equal =
        x.is_integer ? x.integer == y.integer
        : exact ? same_bits(a.view, e.view, i) || (std::isnan(x.floating) && std::isnan(y.floating))
                : close(x.floating, y.floating, tolerance);
    if (is_equal) continue;
    if (num_different++ == 0) first = i;
    max_difference = std::max(max_difference, std::abs(x.number() - y.number()));
  }
  if (num_different == 0) return "";
  return std::to_string(num_different) + " of " + std::to_string(actual.numel()) +
         " elements differ, at most by " + python_repr(max_difference) + "; element " +
         std::to_string(first) + ": got " + python_repr(read_element(a.view, first).number()) +
         ", expected " + python_repr(read_element(e.view, first).number());
}

bool is_zero(const Tensor& t) {
  const RowMajorTensor row_major_tensor(t);
  for (std::int64_t i = 0; i < t.numel(); ++i)
    if (read_element(row_major_tensor.view, i).number() != 0) return false;
  return true;
}

std::string bytes_of(const Tensor& t) {
  const RowMajorTensor row_major_tensor(t);
  const auto size = static_cast<std::size_t>(t.numel()) * t.element_size();
  return size ? std::string(reinterpret_cast<const char*>(row_major_tensor.view.data), size)
              : std::string();
}

}  // namespace taper::oracle
