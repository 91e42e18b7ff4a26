#include "ops/norm/group_norm.h"
#include "ops/kernel/channels_last.h"
#include "ops/norm/narrow_groups.h"

namespace taper {
namespace {

/// Returns true if inputs `first` to `last` are contiguous and f32, or absent.
bool are_dense(const KernelArgs& k, int first, int last) {
  for (int i = first; i <= last; ++i)
    if (k.has(i)) {
      const View& v = k.in[static_cast<std::size_t>(i)];
      if (v.dtype != DType::f32 || !is_contiguous(v)) return false;
    }
  return true;
}

const float* input(const KernelArgs& k, int i) {
  return k.has(i) ? reinterpret_cast<const float*>(k.in[static_cast<std::size_t>(i)].data)
                  : nullptr;
}
/// Returns the memory of an output, null if the output is absent.
float* output(const KernelArgs& k, int i) {
  const View& v = k.out[static_cast<std::size_t>(i)];
  return v.shape ? reinterpret_cast<float*>(v.data) : nullptr;
}

template <NormKind kind> bool normalize(const GroupNormalize<kind>& o, const KernelArgs& k) {
  using Operands = NormOperands<kind>;
  const View& x = k.in[0];
  if (is_reduced_floating_point(x.dtype)) return narrow_groups::normalize(o, k);
  if (x.dtype != DType::f32 || !are_dense(k, 1, 2)) return false;
  const kernel::ViewInLayout row_major(x, PhysicalLayout::row_major);
  cpu::group_normalize(o.groups_of(*x.shape), o.eps, row_major.as<float>(), input(k, 1),
                       input(k, 2), output(k, 0), Operands::kCentered ? output(k, 1) : nullptr,
                       output(k, Operands::kRstd));
  return true;
}

template <NormKind kind>
bool differentiate(const GroupNormalizeBackward<kind>& o, const KernelArgs& k) {
  using Operands = NormOperands<kind>;
  const View &g = k.in[0], &x = k.in[1];
  if (is_reduced_floating_point(x.dtype)) return narrow_groups::differentiate(o, k);
  if (x.dtype != DType::f32 || g.dtype != DType::f32 || !are_dense(k, 2, Operands::kGradWeight))
    return false;
  const kernel::ViewInLayout row_major_g(g, PhysicalLayout::row_major);
  const kernel::ViewInLayout row_major_x(x, PhysicalLayout::row_major);
  cpu::group_normalize_backward(
      o.groups_of(*x.shape), row_major_x.as<float>(), row_major_g.as<float>(),
      Operands::kCentered ? input(k, 2) : nullptr, input(k, Operands::kGradRstd),
      input(k, Operands::kGradWeight), output(k, 0), output(k, 1),
      Operands::kCentered ? output(k, 2) : nullptr);
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
