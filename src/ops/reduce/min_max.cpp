#include "ops/reduce/min_max.h"

#include "ops/forms.h"
#include "ops/reduce/dims.h"

namespace taper {
template <bool Largest> void MinMax<Largest>::infer(ShapeInference& i) const {
  reduce::check_has_elements(i, Shape{dim});
  const reduce::Mask mask = reduce::mask_of(Shape{dim}, i.rank(0), op.function());
  const Shape result = reduce::result_shape(i.shape(0), mask, keepdim);
  i.set_output(result, i.dtype(0));
  i.set_output(result, DType::i64);
}

template <bool Largest> void MinMax<Largest>::backward(BackwardContext<MinMax>& b) const {
  b[0] = reduce::scatter_to_indices(b, b.template output<1>(), dim, keepdim);
}

template <bool Largest> void ArgMinMax<Largest>::infer(ShapeInference& i) const {
  const std::optional<Shape> dims = dim ? std::optional<Shape>(Shape{*dim}) : std::nullopt;
  reduce::check_has_elements(i, dims);
  const reduce::Mask mask = reduce::mask_of(dims, i.rank(0), op.function());
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim), DType::i64);
}

TAPER_DEFINE_OP(max, MinMax<true>);
TAPER_DEFINE_OP(min, MinMax<false>);
TAPER_DEFINE_OP(argmax, ArgMinMax<true>);
TAPER_DEFINE_OP(argmin, ArgMinMax<false>);

std::pair<Tensor, Tensor> max(const Tensor& x, IntArg dim, bool keepdim) {
  return run_pair(MinMax<true>{dim, keepdim}, x);
}
std::pair<Tensor, Tensor> min(const Tensor& x, IntArg dim, bool keepdim) {
  return run_pair(MinMax<false>{dim, keepdim}, x);
}
Tensor argmax(const Tensor& x, std::optional<IntArg> dim, bool keepdim) {
  return run(ArgMinMax<true>{dim, keepdim}, x);
}
Tensor argmin(const Tensor& x, std::optional<IntArg> dim, bool keepdim) {
  return run(ArgMinMax<false>{dim, keepdim}, x);
}

namespace ops {
std::pair<Tensor, Tensor> ReduceMethods::max(IntArg dim, bool keepdim) const {
  return taper::max(self_of(this), dim, keepdim);
}
std::pair<Tensor, Tensor> ReduceMethods::min(IntArg dim, bool keepdim) const {
  return taper::min(self_of(this), dim, keepdim);
}
Tensor ReduceMethods::argmax(std::optional<IntArg> dim, bool keepdim) const {
  return taper::argmax(self_of(this), dim, keepdim);
}
Tensor ReduceMethods::argmin(std::optional<IntArg> dim, bool keepdim) const {
  return taper::argmin(self_of(this), dim, keepdim);
}
}  // namespace ops

}  // namespace taper
