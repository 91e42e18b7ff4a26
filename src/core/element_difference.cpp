#include "core/element_difference.h"

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/element_reader.h"

namespace taper {
namespace {

constexpr std::size_t kBlockSize = 4096;

double abs_difference(double a, double b) {
  const double d = std::abs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}
/// Returns |a - b|. Subtracts in integers, because float64 does not represent all their values.
template <std::integral A, std::integral B> double abs_difference(A a, B b) {
  if constexpr (std::is_signed_v<A> != std::is_signed_v<B>)
    if (std::cmp_less(a, 0) || std::cmp_less(b, 0))  // their difference may exceed 64 bits
      return std::abs(static_cast<double>(a) - static_cast<double>(b));
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<double>(std::cmp_less(b, a) ? x - y : y - x);
}

template <class A, class B> bool are_equal(A a, B b) {
  if constexpr (std::is_integral_v<A>)
    return std::cmp_equal(a, b);
  else
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Returns the multi-dimensional index of the element at position `i` in row-major order. NumPy:
/// unravel_index.
Shape unravel_index(std::int64_t i, const Shape& shape) {
  Shape at = shape;
  for (std::size_t d = shape.size(); d-- > 0; i /= shape[d]) at[d] = i % shape[d];
  return at;
}

/// Compares elements that represent values of types A and B.
template <class A, class B> void compare_elements(const Tensor& a, const Tensor& b,
                                                  const Tolerance& tolerance,
                                                  ElementDifference& d) {
  using T = std::conditional_t<std::is_integral_v<A>, std::int64_t, double>;  // type of reading
  ElementReader<T> left(a), right(b);
  std::vector<T> x(kBlockSize), y(kBlockSize);
  double sum = 0;
  std::int64_t at = 0;
  for (std::size_t n; (n = left.read(x)) > 0 && right.read(y) == n;)
    for (std::size_t i = 0; i < n; ++i, ++at) {
      const auto u = static_cast<A>(x[i]);
      const auto v = static_cast<B>(y[i]);
      if (are_equal(u, v)) continue;
      const auto p = static_cast<double>(u), q = static_cast<double>(v);
      const double difference = abs_difference(u, v);
      if (std::isfinite(difference)) sum += difference;
      if (difference <= tolerance.atol + tolerance.rtol * std::abs(q)) continue;
      if (d.num_different++ == 0 || difference > d.max_abs_diff)
        d.max_abs_diff = difference, d.first = p, d.second = q,
        d.index = unravel_index(at, a.shape());
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
  const bool same_reduced_shape = x.tensor.shape() == y.tensor.shape();
  const Tensor &p = same_reduced_shape ? x.tensor : a, &q = same_reduced_shape ? y.tensor : b;
  if (is_heavily_overlapping(p) || is_heavily_overlapping(q)) {
    d.compared = false;
    return d;
  }
  using Signed = std::int64_t;
  using Unsigned = std::uint64_t;
  const bool a_is_u64 = a.dtype() == DType::u64, b_is_u64 = b.dtype() == DType::u64;
  if (a.is_floating_point() || b.is_floating_point())
    compare_elements<double, double>(p, q, tolerance, d);
  else if (a_is_u64 && b_is_u64)
    compare_elements<Unsigned, Unsigned>(p, q, tolerance, d);
  else if (a_is_u64)
    compare_elements<Unsigned, Signed>(p, q, tolerance, d);
  else if (b_is_u64)
    compare_elements<Signed, Unsigned>(p, q, tolerance, d);
  else
    compare_elements<Signed, Signed>(p, q, tolerance, d);
  if (same_reduced_shape) d.num_different *= x.repeated;
  return d;
}

}  // namespace taper
