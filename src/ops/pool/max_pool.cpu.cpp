#include "ops/pool/max_pool.h"
#include "ops/kernel/channels_last.h"

namespace taper {
namespace {

using kernel::ViewInLayout;
using WindowIndex = std::uint8_t;
using FlatIndex = std::int64_t;

template <class IndexType, class O> bool forward(const O& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0];
  const auto order = pool::kernel_layout(x, y);
  if (!order) return false;
  cpu::Pool2d p = pool::make_pool_params(o.window(), *x.shape, *y.shape);
  p.channels_last = *order == PhysicalLayout::channels_last;
  const ViewInLayout from(x, *order);
  cpu::max_pool2d(p, from.as<float>(), reinterpret_cast<float*>(y.data),
                  reinterpret_cast<IndexType*>(k.out[1].data));
  return true;
}

template <class IndexType, class O> bool backward(const O& o, const KernelArgs& k) {
  const View &dy = k.in[0], &indices = k.in[1], &dx = k.out[0];
  const auto order = pool::kernel_layout(dy, dx);
  if (!order) return false;
  cpu::Pool2d p = pool::make_pool_params(o.window(), *dx.shape, *dy.shape);
  p.channels_last = *order == PhysicalLayout::channels_last;
  const ViewInLayout from(dy, *order), index_view(indices, *order);
  if constexpr (sizeof(IndexType) == sizeof(FlatIndex)) {
    for (std::int64_t i = 0; i < indices.numel; ++i)
      if (index_view.as<IndexType>()[i] < 0 || index_view.as<IndexType>()[i] >= p.h * p.w)
        return false;
  }
  cpu::max_pool2d_backward(p, from.as<float>(), index_view.as<IndexType>(),
                           reinterpret_cast<float*>(dx.data));
  return true;
}

}  // namespace

template <> bool cpu_kernel(const MaxPool2d<PoolIndexKind::flat>& o, const KernelArgs& k) {
  return forward<FlatIndex>(o, k);
}
template <> bool cpu_kernel(const MaxPool2d<PoolIndexKind::window>& o, const KernelArgs& k) {
  return forward<WindowIndex>(o, k);
}
template <> bool cpu_kernel(const MaxPool2dBackward<PoolIndexKind::flat>& o, const KernelArgs& k) {
  return backward<FlatIndex>(o, k);
}
template <>
bool cpu_kernel(const MaxPool2dBackward<PoolIndexKind::window>& o, const KernelArgs& k) {
  return backward<WindowIndex>(o, k);
}

}  // namespace taper
