#include "ops/pool/max_pool.h"
#include "ops/kernel/channels_last.h"

namespace taper {
namespace {

using kernel::ViewInLayout;
using WindowIndex = std::uint8_t;
using FlatIndex = std::int64_t;

bool is_4d_f32(const View& v) { return v.dtype == DType::f32 && v.shape->size() == 4; }

/// Determines the physical layout of the kernel from the output. Returns false if it is neither
/// row-major nor channels-last.
bool find_layout(const View& out, PhysicalLayout& order) {
  const bool last = kernel::is_dense_channels_last(out);
  order = last ? PhysicalLayout::channels_last : PhysicalLayout::row_major;
  return last || is_contiguous(out);
}

template <class IndexType, class O> bool forward(const O& o, const KernelArgs& k) {
  const View &x = k.in[0], &y = k.out[0];
  PhysicalLayout order;
  if (!is_4d_f32(x) || !find_layout(y, order)) return false;
  cpu::Pool2d p = pool::make_pool_params(o.window(), *x.shape, *y.shape);
  p.channels_last = order == PhysicalLayout::channels_last;
  const ViewInLayout from(x, order);
  cpu::max_pool2d(p, from.as<float>(), reinterpret_cast<float*>(y.data),
                  reinterpret_cast<IndexType*>(k.out[1].data));
  return true;
}

template <class IndexType, class O> bool backward(const O& o, const KernelArgs& k) {
  const View &dy = k.in[0], &indices = k.in[1], &dx = k.out[0];
  PhysicalLayout order;
  if (!is_4d_f32(dy) || !find_layout(dx, order)) return false;
  cpu::Pool2d p = pool::make_pool_params(o.window(), *dx.shape, *dy.shape);
  p.channels_last = order == PhysicalLayout::channels_last;
  const ViewInLayout from(dy, order), index_view(indices, order);
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
