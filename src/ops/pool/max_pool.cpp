#include "ops/pool/max_pool.h"

#include <cmath>

#include "core/thread_local_state.h"
#include "ops/kernel/reference.h"
#include "ops/pool/functions.h"
#include "taper/core/tensor.h"

namespace taper {

using pool::set_output_like;

template <PoolIndexKind P> void MaxPool2d<P>::infer(ShapeInference& i) const {
  const Shape y = pool::result_shape(i, window());
  if (P == PoolIndexKind::window) {
    const cpu::Pool2d g = pool::make_pool_params(window(), i.shape(0), y);
    if (g.kh * g.kw > 255)
      i.fail("window too large: got kernel_size={}, expected at most 255 elements", kernel_size);
  }
  set_output_like(i, i.tensor(0), y, i.dtype(0));
  i.outs[1].absent = !return_indices;
  set_output_like(i, i.tensor(0), y, index_dtype(P));
}

namespace {

template <class O> void check_indices(const ShapeInference& i, const O& o, PoolIndexKind p,
                                      const Shape& x, const Shape& y) {
  pool::check_adjoint(i, o.window(), x, y);
  if (!(i.shape(1) == y)) i.fail("expected indices of shape {}, got {}", y, i.shape(1));
  if (i.dtype(1) != index_dtype(p))
    i.fail<DTypeError>("expected indices of {}, got {}", index_dtype(p), i.dtype(1));
}

/// Calls f(n, c, i, j, h, w) for every element of `indices`, where (h, w) is the selected position
/// in the input. If the window does not select an element or the index is out of range, h is -1 and
/// w is unspecified.
template <PoolIndexKind P, class F>
void for_each_pool_index(const View& indices, const cpu::Pool2d& g, F&& f) {
  const pool::ElementAddress at(indices);
  pool::for_each_position(
      g.n, g.c, g.ho, g.wo, [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
        std::int64_t h = -1, w = -1;
        const auto v = kernel::load<std::int64_t>(at(n, c, i, j), indices.dtype);
        if (P == PoolIndexKind::flat) {
          h = v < 0 ? -1 : v / g.w, w = v % g.w;
        } else if (v < g.kh * g.kw) {
          h = i * g.sh - g.ph + v / g.kw * g.dh, w = j * g.sw - g.pw + v % g.kw * g.dw;
        }
        if (h < 0 || w < 0 || h >= g.h || w >= g.w) h = -1;
        f(n, c, i, j, h, w);
      });
}

template <PoolIndexKind P> void max_pool_reference(const MaxPool2d<P>& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0], &indices = k.out[1];
  const cpu::Pool2d g = pool::make_pool_params(o.window(), *x.shape, *y.shape);
  const pool::ElementAddress from(x), to(y), index_at(o.return_indices ? indices : y);
  kernel::in_compute_type(x.dtype, [&]<class T>(T) {
    const auto pool_window = [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t j) {
      T best = std::is_floating_point_v<T> ? static_cast<T>(-INFINITY) : T{};
      std::int64_t max_index = P == PoolIndexKind::flat ? -1 : 255;
      bool has_max = false;
      for (std::int64_t u = 0; u < g.kh; ++u)
        for (std::int64_t v = 0; v < g.kw; ++v) {
          const std::int64_t h = i * g.sh - g.ph + u * g.dh, w = j * g.sw - g.pw + v * g.dw;
          if (h < 0 || w < 0 || h >= g.h || w >= g.w) continue;
          const T e = kernel::load<T>(from(n, c, h, w), x.dtype);
          if (has_max && !(e > best) && e == e) continue;  // a later NaN replaces an earlier one
          has_max = true, best = e;
          max_index = P == PoolIndexKind::flat ? h * g.w + w : u * g.kw + v;
        }
      kernel::store(to(n, c, i, j), y.dtype, best);
      if (o.return_indices) kernel::store(index_at(n, c, i, j), indices.dtype, max_index);
    };
    pool::for_each_position(g.n, g.c, g.ho, g.wo, pool_window);
  });
}

template <PoolIndexKind P> void scatter(const MaxPool2dBackward<P>& o, const KernelArgs& k) {
  const View &dy = k.in[0], &dx = k.out[0];
  const cpu::Pool2d g = pool::make_pool_params(o.window(), *dx.shape, *dy.shape);
  const pool::ElementAddress from(dy);
  kernel::in_compute_type(dx.dtype, [&]<class T>(T) {
    // Sums are computed in the compute type; a 16-bit float is rounded once.
    std::vector<T> sums(static_cast<std::size_t>(dx.numel));
    for_each_pool_index<P>(k.in[1], g, [&](auto n, auto c, auto i, auto j, auto h, auto w) {
      if (h < 0) return;
      T& sum = sums[static_cast<std::size_t>(((n * g.c + c) * g.h + h) * g.w + w)];
      sum = kernel::plus(sum, kernel::load<T>(from(n, c, i, j), dy.dtype));
    });
    std::size_t next = 0;
    kernel::walk(*dx.shape, std::array<const View*, 1>{&dx},
                 [&](const std::array<std::int64_t, 1>& at) {
                   kernel::store(dx.data + at[0], dx.dtype, sums[next++]);
                 });
  });
}

template <PoolIndexKind P> void gather(const MaxPool2dPick<P>& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0];
  const cpu::Pool2d g = pool::make_pool_params(o.window(), *x.shape, *y.shape);
  const pool::ElementAddress from(x), to(y);
  kernel::in_compute_type(x.dtype, [&]<class T>(T) {
    for_each_pool_index<P>(k.in[1], g, [&](auto n, auto c, auto i, auto j, auto h, auto w) {
      kernel::store(to(n, c, i, j), y.dtype,
                    h < 0 ? T{} : kernel::load<T>(from(n, c, h, w), x.dtype));
    });
  });
}

}  // namespace

template <PoolIndexKind P> void MaxPool2dBackward<P>::infer(ShapeInference& i) const {
  check_indices(i, *this, P, input_size, i.shape(0));
  set_output_like(i, i.tensor(1), input_size, i.dtype(0));
}
template <PoolIndexKind P> void MaxPool2dPick<P>::infer(ShapeInference& i) const {
  check_indices(i, *this, P, i.shape(0), i.shape(1));
  set_output_like(i, i.tensor(1), i.shape(1), i.dtype(0));
}

template <> void reference_kernel(const MaxPool2d<PoolIndexKind::flat>& o, const KernelArgs& k) {
  max_pool_reference(o, k);
}
template <> void reference_kernel(const MaxPool2d<PoolIndexKind::window>& o, const KernelArgs& k) {
  max_pool_reference(o, k);
}
template <>
void reference_kernel(const MaxPool2dBackward<PoolIndexKind::flat>& o, const KernelArgs& k) {
  scatter(o, k);
}
template <>
void reference_kernel(const MaxPool2dBackward<PoolIndexKind::window>& o, const KernelArgs& k) {
  scatter(o, k);
}
template <>
void reference_kernel(const MaxPool2dPick<PoolIndexKind::flat>& o, const KernelArgs& k) {
  gather(o, k);
}
template <>
void reference_kernel(const MaxPool2dPick<PoolIndexKind::window>& o, const KernelArgs& k) {
  gather(o, k);
}

template <PoolIndexKind P> void MaxPool2d<P>::backward(BackwardContext<MaxPool2d>& b) const {
  if (!return_indices)
    fail<ValueError>("{}: the gradient requires return_indices=True", op.function());
  b[0] = run(MaxPool2dBackward<P>{kernel_size, stride, padding, dilation, b.input_meta(0).shape},
             b.grad(), b.template output<1>());
}
template <PoolIndexKind P>
void MaxPool2dBackward<P>::backward(BackwardContext<MaxPool2dBackward>& b) const {
  if (b.needs_input_grad(0))
    b[0] = run(MaxPool2dPick<P>{kernel_size, stride, padding, dilation}, b.grad(),
               b.template input<1>());
}
template <PoolIndexKind P>
void MaxPool2dPick<P>::backward(BackwardContext<MaxPool2dPick>& b) const {
  if (b.needs_input_grad(0))
    b[0] = run(MaxPool2dBackward<P>{kernel_size, stride, padding, dilation, b.input_meta(0).shape},
               b.grad(), b.template input<1>());
}

using MaxPoolIndices = MaxPool2d<PoolIndexKind::flat>;
using MaxPoolWindow = MaxPool2d<PoolIndexKind::window>;
TAPER_DEFINE_OP(max_pool2d_with_indices, MaxPoolIndices);
TAPER_DEFINE_OP(max_pool2d, MaxPoolWindow);
TAPER_DEFINE_OP(max_pool2d_with_indices_backward, MaxPool2dBackward<PoolIndexKind::flat>);
TAPER_DEFINE_OP(max_pool2d_backward, MaxPool2dBackward<PoolIndexKind::window>);
TAPER_DEFINE_OP(max_pool2d_with_indices_pick, MaxPool2dPick<PoolIndexKind::flat>);
TAPER_DEFINE_OP(max_pool2d_pick, MaxPool2dPick<PoolIndexKind::window>);

Tensor max_pool2d(const Tensor& x, const Shape& kernel_size, const MaxPool2dFuncOptions& o) {
  std::int64_t window = 1;
  for (std::int64_t k : kernel_size)
    if (k < 1 || k > 255 || (window *= k) > 255)
      return max_pool2d_with_indices(x, kernel_size, o).first;
  if (kernel_size.size() == 1 && window > 15)
    return max_pool2d_with_indices(x, kernel_size, o).first;
  const bool differentiated = tls.grad && x.defined() && x.requires_grad();
  return run_all(MaxPoolWindow{kernel_size, pool::stride_or_kernel(o.stride, kernel_size),
                               o.padding, o.dilation, o.ceil_mode, differentiated},
                 x)[0];
}

std::pair<Tensor, Tensor> max_pool2d_with_indices(const Tensor& x, const Shape& kernel_size,
                                                  const MaxPool2dFuncOptions& o) {
  auto [y, indices] =
      run_all(MaxPoolIndices{kernel_size, pool::stride_or_kernel(o.stride, kernel_size), o.padding,
                             o.dilation, o.ceil_mode},
              x);
  return {std::move(y), std::move(indices)};
}

}  // namespace taper
