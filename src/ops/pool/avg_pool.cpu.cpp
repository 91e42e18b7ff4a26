#include "ops/pool/avg_pool.h"
#include "ops/kernel/channels_last.h"

namespace taper {
namespace {

/// Calls kernel f with the arguments shared by both directions. x and y are the shapes of the input
/// and the output of the pooling. Returns false if the dtype, rank or layout is not supported.
template <bool Back, class F> bool run_kernel(const AvgPool2dOf<Back>& o, const KernelArgs& k,
                                              const Shape& x, const Shape& y, F f) {
  const View &in = k.in[0], &out = k.out[0];
  const bool last = kernel::is_dense_channels_last(out);
  if (in.dtype != DType::f32 || x.size() != 4 || (!last && !is_contiguous(out))) return false;
  cpu::Pool2d p = pool::make_pool_params(o.window(), x, y);
  p.channels_last = last;
  const kernel::ViewInLayout from(in,
                                  last ? PhysicalLayout::channels_last : PhysicalLayout::row_major);
  f(p, cpu::AvgRule{o.count_include_pad, o.divisor_override.value_or(0)}, from.as<float>(),
    reinterpret_cast<float*>(out.data));
  return true;
}

}  // namespace

template <> bool cpu_kernel(const AvgPool2d& o, const KernelArgs& k) {
  return run_kernel(o, k, *k.in[0].shape, *k.out[0].shape, cpu::avg_pool2d);
}
template <> bool cpu_kernel(const AvgPool2dBackward& o, const KernelArgs& k) {
  return run_kernel(o, k, *k.out[0].shape, *k.in[0].shape, cpu::avg_pool2d_backward);
}

}  // namespace taper
