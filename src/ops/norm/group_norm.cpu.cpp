#include "ops/norm/group_norm.h"
#include "ops/kernel/channels_last.h"
#include "ops/kernel/float_copy.h"

namespace taper {
namespace {

/// Returns true if inputs `first` to `last` are contiguous and computed in f32, or absent.
bool are_dense(const KernelArgs& k, int first, int last) {
  for (int i = first; i <= last; ++i)
    if (k.has(i)) {
      const View& v = k.in[static_cast<std::size_t>(i)];
      if (!kernel::is_computed_in_f32(v.dtype) || !is_contiguous(v)) return false;
    }
  return true;
}

kernel::FloatInput input(const KernelArgs& k, int i) {
  if (!k.has(i)) return {nullptr, DType::f32, 0};
  const View& v = k.in[static_cast<std::size_t>(i)];
  return {v.data, v.dtype, v.numel};
}

template <NormKind kind> bool normalize(const GroupNormalize<kind>& o, const KernelArgs& k) {
  constexpr bool kCentered = NormOperands<kind>::kCentered;
  const View& x = k.in[0];
  if (!kernel::is_computed_in_f32(x.dtype) || !are_dense(k, 1, 2)) return false;
  const kernel::ViewInLayout row_major(x, PhysicalLayout::row_major);
  const kernel::FloatInput from(row_major.as<void>(), x.dtype, x.numel), weight = input(k, 1),
                                                                         bias = input(k, 2);
  const kernel::FloatOutput to(k.out[0]), rstd(k.out[NormOperands<kind>::kRstd]);
  cpu::group_normalize(o.groups_of(*x.shape), o.eps, from.data(), weight.data(), bias.data(),
                       to.data(), kCentered ? reinterpret_cast<float*>(k.out[1].data) : nullptr,
                       rstd.data());
  to.store();
  return true;
}

template <NormKind kind>
bool differentiate(const GroupNormalizeBackward<kind>& o, const KernelArgs& k) {
  using Operands = NormOperands<kind>;
  const View &g = k.in[0], &x = k.in[1];
  if (!kernel::is_computed_in_f32(x.dtype) || !kernel::is_computed_in_f32(g.dtype) ||
      !are_dense(k, 2, Operands::kGradWeight))
    return false;
  const kernel::ViewInLayout row_major_g(g, PhysicalLayout::row_major);
  const kernel::ViewInLayout row_major_x(x, PhysicalLayout::row_major);
  const kernel::FloatInput gradient(row_major_g.as<void>(), g.dtype, g.numel),
      from(row_major_x.as<void>(), x.dtype, x.numel), mean = input(k, 2),
                                                      rstd = input(k, Operands::kGradRstd),
                                                      weight = input(k, Operands::kGradWeight);
  const kernel::FloatOutput dx(k.out[0]), dweight(k.out[1]),
      dbias(k.out[Operands::kCentered ? 2 : 1]);
  cpu::group_normalize_backward(o.groups_of(*x.shape), from.data(), gradient.data(),
                                Operands::kCentered ? mean.data() : nullptr, rstd.data(),
                                weight.data(), dx.data(), dweight.data(),
                                Operands::kCentered ? dbias.data() : nullptr);
  dx.store(), dweight.store();
  if (Operands::kCentered) dbias.store();
  return true;
}

}  // namespace

template <> bool cpu_kernel(const LayerNormOp& o, const KernelArgs& k) { return normalize(o, k); }
template <> bool cpu_kernel(const GroupNormOp& o, const KernelArgs& k) { return normalize(o, k); }
template <> bool cpu_kernel(const RmsNormOp& o, const KernelArgs& k) { return normalize(o, k); }

#define TAPER_BACKWARD_KERNEL(kind)                                                       \
  template <>                                                                             \
  bool cpu_kernel(const GroupNormalizeBackward<NormKind::kind>& o, const KernelArgs& k) { \
    return differentiate(o, k);                                                           \
  }
TAPER_BACKWARD_KERNEL(layer)
TAPER_BACKWARD_KERNEL(group)
TAPER_BACKWARD_KERNEL(rms)

}  // namespace taper
