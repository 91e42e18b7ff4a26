// equal and allclose: comparisons of two tensors.
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "cpu/threads.h"
#include "ops/copy/copy_kernel.h"
#include "ops/factory/make.h"

namespace taper {
namespace {

// Operand in host memory, with its strides broadcast to the common shape.
struct Operand {
  Operand(const Tensor& t, std::string_view op) : host(t) {
    if (t.device().is_meta()) fail<DeviceError>("{}: a meta tensor has no elements", op);
    if (!t.device().is_cpu()) host = t.detach().to(Device::cpu());
    resolve(impl(host), LayoutRequest::any, view, scratch);
  }
  void broadcast(std::size_t rank) {
    strides = *view.strides;
    for (std::size_t i = 0; i < strides.size(); ++i)
      if ((*view.shape)[i] == 1) strides[i] = 0;
    while (strides.size() < rank) strides.insert(0, 0);
  }
  Tensor host;
  View view;
  Shape scratch, strides;
};

void check_same_device(const Tensor& a, const Tensor& b, std::string_view op) {
  if (a.device() != b.device())
    fail<DeviceError>("{}: expected all tensors to be on the same device, got {} and {}", op,
                      a.device(), b.device());
}

template <class F> bool all_elements_match(const Operand& a, const Operand& b, const Shape& shape,
                                           std::size_t dim, std::int64_t offset_a,
                                           std::int64_t offset_b, const F& same) {
  if (dim == shape.size())
    return same(read_element(a.view, offset_a), read_element(b.view, offset_b));
  for (std::int64_t i = 0; i < shape[dim]; ++i)
    if (!all_elements_match(a, b, shape, dim + 1, offset_a + i * a.strides[dim],
                            offset_b + i * b.strides[dim], same))
      return false;
  return true;
}

/// Returns true if same(a[i], b[i]) holds for all n pairs of elements. `same` has no branches, so
/// that the loop over a block is vectorized.
template <class T, class F>
bool all_pairs_match(const T* a, const T* b, std::int64_t n, const F& same) {
  constexpr std::int64_t kBlock = 1 << 12;
  std::atomic<bool> all = true;
  cpu::parallel_for(0, n, 1 << 15, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end && all.load(std::memory_order_relaxed); begin += kBlock) {
      const std::int64_t stop = std::min(end, begin + kBlock);
      int differences = 0;
      for (std::int64_t i = begin; i < stop; ++i) differences |= same(a[i], b[i]) ? 0 : 1;
      if (differences != 0) all.store(false, std::memory_order_relaxed);
    }
  });
  return all;
}

/// As all_pairs_match, for the elements of floating-point views of one dtype that have the same
/// dense layout. `same` is called with float or double. Returns nothing for other operands.
template <class F>
std::optional<bool> dense_elements_match(const View& a, const View& b, const F& same) {
  if (a.dtype != b.dtype || !is_floating_point(a.dtype) || !kernel::same_dense_layout(a, b))
    return {};
  return visit_dtype(a.dtype, [&]<class T>(T) -> std::optional<bool> {
    if constexpr (!is_floating_element<T>)
      return {};
    else
      return all_pairs_match(reinterpret_cast<const T*>(a.data), reinterpret_cast<const T*>(b.data),
                             a.numel, [&](T x, T y) {
                               using Compared = std::conditional_t<is_narrow_float<T>, float, T>;
                               return same(static_cast<Compared>(x), static_cast<Compared>(y));
                             });
  });
}

Shape common_shape(const Shape& a, const Shape& b) {
  Shape shape = a.size() >= b.size() ? a : b;
  const Shape& small = a.size() >= b.size() ? b : a;
  for (std::size_t i = 1; i <= small.size(); ++i) {
    std::int64_t& size = shape[shape.size() - i];
    const std::int64_t other = small[small.size() - i];
    if (size == 1)
      size = other;
    else if (other != 1 && other != size)
      fail<ShapeError>("allclose: shapes do not broadcast: got {} and {}", a, b);
  }
  return shape;
}

}  // namespace

bool equal(const Tensor& a, const Tensor& b) {
  check_same_device(a, b, "equal");
  Operand x(a, "equal"), y(b, "equal");
  if (a.shape() != b.shape()) return false;
  if (a.dtype() == b.dtype() && !is_floating_point(a.dtype()) && x.host.is_contiguous() &&
      y.host.is_contiguous() && x.view.strides == &impl(x.host).strides &&
      y.view.strides == &impl(y.host).strides)
    return a.numel() == 0 ||
           std::memcmp(x.view.data, y.view.data,
                       static_cast<std::size_t>(a.numel()) * size_of(a.dtype())) == 0;
  const auto same = [](auto p, auto q) { return p == q; };
  if (const auto all = dense_elements_match(x.view, y.view, same)) return *all;
  x.strides = *x.view.strides, y.strides = *y.view.strides;
  return all_elements_match(x, y, a.shape(), 0, 0, 0,
                            [](const Element& p, const Element& q) { return p == q; });
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check_same_device(a, b, "allclose");
  if (a.dtype() != b.dtype())
    fail<DTypeError>("allclose: {} did not match {}", a.dtype(), b.dtype());
  if (!(rtol >= 0))
    fail<ValueError>("allclose: rtol must be greater than or equal to zero, but got {}", rtol);
  if (!(atol >= 0))
    fail<ValueError>("allclose: atol must be greater than or equal to zero, but got {}", atol);
  const Shape shape = common_shape(a.shape(), b.shape());
  Operand x(a, "allclose"), y(b, "allclose");
  // Without branches. Comparisons with NaN are false, and so are those with the infinite difference
  // of an infinity and another number.
  const auto close = [=](double u, double v) {
    const double difference = std::abs(u - v), allowed = atol + rtol * std::abs(v);
    const bool near = (difference <= std::numeric_limits<double>::max()) & (difference <= allowed);
    const bool both_nan = (u != u) & (v != v);
    return (u == v) | near | (equal_nan & both_nan);
  };
  if (const auto all = dense_elements_match(x.view, y.view, close)) return *all;
  x.broadcast(shape.size());
  y.broadcast(shape.size());
  return all_elements_match(x, y, shape, 0, 0, 0, [&](const Element& p, const Element& q) {
    return close(p.number(), q.number());
  });
}

}  // namespace taper
