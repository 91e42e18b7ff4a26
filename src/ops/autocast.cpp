#include "ops/autocast.h"

#include <algorithm>

#include "autograd/autocast.h"
#include "taper/core/optional_fields.h"

namespace taper {
namespace {

DType compute_dtype(AutocastPolicy policy, std::span<const Tensor> tensors) {
  if (policy == AutocastPolicy::f32) return DType::f32;
  const DType lower = amp::autocast_state().dtype;
  if (policy == AutocastPolicy::lower_precision) return lower;
  return std::ranges::all_of(
             tensors,
             [&](const Tensor& x) { return !amp::is_autocast_eligible(x) || x.dtype() == lower; })
             ? lower
             : DType::f32;
}

}  // namespace

std::vector<Tensor> autocast_inputs(AutocastPolicy policy, std::vector<Tensor> tensors) {
  const DType dtype = compute_dtype(policy, tensors);
  for (Tensor& x : tensors)
    if (amp::is_autocast_eligible(x)) x = amp::autocast_to(x, dtype);
  return tensors;
}

Tensor autocast_argument(AutocastPolicy policy, const Tensor& x) {
  if (policy == AutocastPolicy::passthrough || !amp::is_autocast_eligible(x)) return x;
  return amp::autocast_to(x, compute_dtype(policy, {&x, 1}));
}
std::optional<Tensor> autocast_argument(AutocastPolicy policy, const std::optional<Tensor>& x) {
  if (!x) return x;
  return autocast_argument(policy, *x);
}
std::optional<Tensor> autocast_argument(AutocastPolicy policy, OptionalTensorRef x) {
  if (!x) return {};
  return autocast_argument(policy, *x);
}
OptionalTensor autocast_argument(AutocastPolicy policy, const OptionalTensor& x) {
  return autocast_argument(policy, x.value_or_undefined());
}
std::vector<Tensor> autocast_argument(AutocastPolicy policy, std::span<const Tensor> tensors) {
  std::vector<Tensor> cast;
  for (const Tensor& x : tensors) cast.push_back(autocast_argument(policy, x));
  return cast;
}

}  // namespace taper
