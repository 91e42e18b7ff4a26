#include "ops/reduce/extreme.h"

#include "ops/reduce/dims.h"

namespace taper {
template <bool Largest> void Extreme<Largest>::infer(ShapeInference& i) const {
  reduce::need_elements(i, Shape{dim});
  const reduce::Mask mask = reduce::mask_of(Shape{dim}, i.rank(0), op.name);
  const Shape result = reduce::result_shape(i.shape(0), mask, keepdim);
  i.set_output(result, i.dtype(0));
  i.set_output(result, DType::i64);
}

template <bool Largest> void Extreme<Largest>::backward(BackwardContext<Extreme>& b) const {
  b[0] = reduce::to_places(b, b.template output<1>(), dim, keepdim);
}

template <bool Largest> void ArgExtreme<Largest>::infer(ShapeInference& i) const {
  const std::optional<Shape> dims = dim ? std::optional<Shape>(Shape{*dim}) : std::nullopt;
  reduce::need_elements(i, dims);
  const reduce::Mask mask = reduce::mask_of(dims, i.rank(0), op.name);
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim), DType::i64);
}

TAPER_DEFINE_OP(max, Extreme<true>);
TAPER_DEFINE_OP(min, Extreme<false>);
TAPER_DEFINE_OP(argmax, ArgExtreme<true>);
TAPER_DEFINE_OP(argmin, ArgExtreme<false>);

namespace {
template <bool Largest>
std::pair<Tensor, Tensor> extreme(const Tensor& x, std::int64_t dim, bool keepdim) {
  auto both = run_all(Extreme<Largest>{dim, keepdim}, x);
  return {std::move(both[0]), std::move(both[1])};
}
}  // namespace

std::pair<Tensor, Tensor> max(const Tensor& x, IntArg dim, bool keepdim) {
  return extreme<true>(x, dim, keepdim);
}
std::pair<Tensor, Tensor> min(const Tensor& x, IntArg dim, bool keepdim) {
  return extreme<false>(x, dim, keepdim);
}
Tensor argmax(const Tensor& x, std::optional<IntArg> dim, bool keepdim) {
  return run(ArgExtreme<true>{dim, keepdim}, x);
}
Tensor argmin(const Tensor& x, std::optional<IntArg> dim, bool keepdim) {
  return run(ArgExtreme<false>{dim, keepdim}, x);
}

namespace ops {
using reduce::self_of;
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
