#include "ops/pool/max_pool.h"
#include "ops/kernel/channels_last.h"

namespace taper {
namespace {

using kernel::ViewInLayout;
using Taps = std::uint8_t;
using Indices = std::int64_t;

bool four_dims_f32(const View& v) { return v.dtype == DType::f32 && v.shape->size() == 4; }

/// Determines the physical layout of the kernel from the output. Returns false if it is neither
/// row-major nor channels-last.
bool order_of(const View& out, PhysicalLayout& order) {
  const bool last = kernel::is_dense_channels_last(out);
  order = last ? PhysicalLayout::channels_last : PhysicalLayout::row_major;
  return last || is_contiguous(out);
}

template <class Offset, class O> bool forward(const O& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0];
  PhysicalLayout order;
  if (!four_dims_f32(x) || !order_of(y, order)) return false;
  cpu::Pool2d p = pool::geometry(o.window(), *x.shape, *y.shape);
  p.channels_last = order == PhysicalLayout::channels_last;
  const ViewInLayout from(x, order);
  cpu::max_pool2d(p, from.as<float>(), reinterpret_cast<float*>(y.data),
                  reinterpret_cast<Offset*>(k.out[1].data));
  return true;
}

template <class Offset, class O> bool backward(const O& o, const KernelArgs& k) {
  const View &dy = k.in[0], &indices = k.in[1], &dx = k.out[0];
  PhysicalLayout order;
  if (!four_dims_f32(dy) || !order_of(dx, order)) return false;
  cpu::Pool2d p = pool::geometry(o.window(), *dx.shape, *dy.shape);
  p.channels_last = order == PhysicalLayout::channels_last;
  const ViewInLayout from(dy, order), where(indices, order);
  if constexpr (sizeof(Offset) == sizeof(Indices)) {
    for (std::int64_t i = 0; i < indices.numel; ++i)
      if (where.as<Offset>()[i] < 0 || where.as<Offset>()[i] >= p.h * p.w) return false;
  }
  cpu::max_pool2d_backward(p, from.as<float>(), where.as<Offset>(),
                           reinterpret_cast<float*>(dx.data));
  return true;
}

}  // namespace

template <> bool cpu_kernel(const MaxPool2d<PoolIndexKind::flat>& o, const KernelArgs& k) {
  return forward<Indices>(o, k);
}
template <> bool cpu_kernel(const MaxPool2d<PoolIndexKind::window>& o, const KernelArgs& k) {
  return forward<Taps>(o, k);
}
template <> bool cpu_kernel(const MaxPool2dBackward<PoolIndexKind::flat>& o, const KernelArgs& k) {
  return backward<Indices>(o, k);
}
template <>
bool cpu_kernel(const MaxPool2dBackward<PoolIndexKind::window>& o, const KernelArgs& k) {
  return backward<Taps>(o, k);
}

}  // namespace taper
