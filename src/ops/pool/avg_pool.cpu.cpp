#include "ops/pool/avg_pool.h"
#include "ops/kernel/channels_last.h"

namespace taper {
namespace {

/// Calls kernel f(parameters, input, output) of a pooling or its adjoint. Returns false if the
/// dtype, rank or layout is not supported.
template <class F> bool run_kernel(cpu::Pool2d p, const KernelArgs& k, F&& f) {
  const View &in = k.in[0], &out = k.out[0];
  const auto order = pool::kernel_layout(in, out);
  if (!order) return false;
  if (out.numel == 0) return true;
  p.channels_last = *order == PhysicalLayout::channels_last;
  const kernel::ViewInLayout from(in, *order);
  f(p, from.as<float>(), reinterpret_cast<float*>(out.data));
  return true;
}

constexpr auto forward(const cpu::AvgRule& rule) {
  return [rule](const cpu::Pool2d& p, const float* x, float* y) { cpu::avg_pool2d(p, rule, x, y); };
}
constexpr auto backward(const cpu::AvgRule& rule) {
  return [rule](const cpu::Pool2d& p, const float* dy, float* dx) {
    cpu::avg_pool2d_backward(p, rule, dy, dx);
  };
}

cpu::AvgRule rule_of(const auto& o) {
  return {o.count_include_pad, o.divisor_override.value_or(0)};
}

}  // namespace

template <> bool cpu_kernel(const AvgPool2d& o, const KernelArgs& k) {
  return run_kernel(pool::make_pool_params(o.window(), *k.in[0].shape, *k.out[0].shape), k,
                    forward(rule_of(o)));
}
template <> bool cpu_kernel(const AvgPool2dBackward& o, const KernelArgs& k) {
  return run_kernel(pool::make_pool_params(o.window(), *k.out[0].shape, *k.in[0].shape), k,
                    backward(rule_of(o)));
}
template <> bool cpu_kernel(const AdaptiveAvgPool2d&, const KernelArgs& k) {
  return run_kernel(pool::make_adaptive_params(*k.in[0].shape, *k.out[0].shape), k, forward({}));
}
template <> bool cpu_kernel(const AdaptiveAvgPool2dBackward&, const KernelArgs& k) {
  return run_kernel(pool::make_adaptive_params(*k.out[0].shape, *k.in[0].shape), k, backward({}));
}

}  // namespace taper
