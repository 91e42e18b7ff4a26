#include "core/element_difference.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/element_reader.h"

namespace taper {
namespace {

constexpr std::size_t kBlock = 4096;

double distance(double a, double b) {
  const double d = std::abs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}
/// Returns |a - b|. Subtracts in integers, because float64 does not represent all values of int64.
double distance(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<double>(a > b ? x - y : y - x);
}

/// Returns the multi-dimensional index of the element at position `i` in row-major order. NumPy:
/// unravel_index.
Shape unravel_index(std::int64_t i, const Shape& shape) {
  Shape at = shape;
  for (std::size_t d = shape.size(); d-- > 0; i /= shape[d]) at[d] = i % shape[d];
  return at;
}

template <class T> void compare_elements(const Tensor& a, const Tensor& b,
                                         const Tolerance& tolerance, ElementDifference& d) {
  ElementReader<T> left(a), right(b);
  std::vector<T> x(kBlock), y(kBlock);
  double sum = 0;
  std::int64_t at = 0;
  for (std::size_t n; (n = left.read(x)) > 0 && right.read(y) == n;)
    for (std::size_t i = 0; i < n; ++i, ++at) {
      const auto p = static_cast<double>(x[i]), q = static_cast<double>(y[i]);
      if (x[i] == y[i] || (std::isnan(p) && std::isnan(q))) continue;
      const double apart = distance(x[i], y[i]);
      if (std::isfinite(apart)) sum += apart;
      if (apart <= tolerance.atol + tolerance.rtol * std::abs(q)) continue;
      if (d.num_different++ == 0 || apart > d.max_abs_diff)
        d.max_abs_diff = apart, d.first = p, d.second = q, d.index = unravel_index(at, a.shape());
    }
  if (at) d.mean = sum / static_cast<double>(at);
}

}  // namespace

ElementDifference element_difference(const Tensor& a, const Tensor& b, const Tolerance& tolerance) {
  ElementDifference d;
  d.elements = a.numel();
  if (!has_host_elements(a) || !has_host_elements(b)) return d;
  const DistinctElements x = distinct_elements(a), y = distinct_elements(b);
  // Repeated elements are read only once if both tensors repeat them along the same dimensions.
  const bool small = x.tensor.shape() == y.tensor.shape();
  const Tensor &p = small ? x.tensor : a, &q = small ? y.tensor : b;
  if (is_heavily_overlapping(p) || is_heavily_overlapping(q)) {
    d.compared = false;
    return d;
  }
  const bool integers = !a.is_floating_point() && !b.is_floating_point();
  if (integers)
    compare_elements<std::int64_t>(p, q, tolerance, d);
  else
    compare_elements<double>(p, q, tolerance, d);
  if (small) d.num_different *= x.repeated;
  return d;
}

}  // namespace taper
