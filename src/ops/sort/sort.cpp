#include "ops/sort/sort.h"

#include "ops/forms.h"

namespace taper {

void Sort::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  i.set_output(i.shape(0), i.dtype(0));
  i.set_output(i.shape(0), DType::i64);
}

void TopK::infer(ShapeInference& i) const {
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), op.function()));
  Shape result = i.shape(0);
  const std::int64_t size = result.empty() ? 1 : result[d];
  if (k < 0 || k > size || (result.empty() && k == 0))
    i.fail<ValueError>("selected index k out of range: got k = {} for dimension {} of size {}", k,
                       d, size);
  if (!result.empty()) result[d] = k;
  i.set_output(result, i.dtype(0));
  i.set_output(result, DType::i64);
}

void KthValue::infer(ShapeInference& i) const {
  reduce::check_has_elements(i, Shape{dim});
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), op.function()));
  const std::int64_t size = i.rank(0) == 0 ? 1 : i.shape(0)[d];
  if (k < 1 || k > size)
    i.fail<ValueError>("selected number k out of range for dimension {}: got {}, expected 1 to {}",
                       d, k, size);
  const Shape result = reduce::result_shape(
      i.shape(0), reduce::mask_of(Shape{dim}, i.rank(0), op.function()), keepdim);
  i.set_output(result, i.dtype(0));
  i.set_output(result, DType::i64);
}

void Mode::infer(ShapeInference& i) const {
  reduce::check_has_elements(i, Shape{dim});
  const Shape result = reduce::result_shape(
      i.shape(0), reduce::mask_of(Shape{dim}, i.rank(0), op.function()), keepdim);
  i.set_output(result, i.dtype(0));
  i.set_output(result, DType::i64);
}

void LexSort::infer(ShapeInference& i) const {
  if (i.rank(0) != 2) i.fail("expected a matrix, got shape {}", i.shape(0));
  i.set_output({i.shape(0)[0]}, DType::i64);
}

TAPER_DEFINE_OP(sort, Sort);
TAPER_DEFINE_OP(topk, TopK);
TAPER_DEFINE_OP(kthvalue, KthValue);
TAPER_DEFINE_OP(mode, Mode);
TAPER_DEFINE_OP(lexsort, LexSort);

std::pair<Tensor, Tensor> sort(const Tensor& x, IntArg dim, bool descending, bool stable) {
  return run_pair(Sort{dim, descending, stable}, x);
}
Tensor argsort(const Tensor& x, IntArg dim, bool descending, bool stable) {
  return sort(x, dim, descending, stable).second;
}
Tensor msort(const Tensor& x) { return sort(x, 0).first; }
std::pair<Tensor, Tensor> topk(const Tensor& x, IntArg k, IntArg dim, bool largest, bool sorted) {
  // As in PyTorch, a tensor without dimensions is its own selection of no elements.
  return run_pair(TopK{x.dim() == 0 && k == 0 ? 1 : +k, dim, largest, sorted}, x);
}
std::pair<Tensor, Tensor> kthvalue(const Tensor& x, IntArg k, IntArg dim, bool keepdim) {
  return run_pair(KthValue{k, dim, keepdim}, x);
}
std::pair<Tensor, Tensor> mode(const Tensor& x, IntArg dim, bool keepdim) {
  return run_pair(Mode{dim, keepdim}, x);
}

namespace ops {
std::pair<Tensor, Tensor> SortMethods::sort(IntArg dim, bool descending, bool stable) const {
  return taper::sort(self_of(this), dim, descending, stable);
}
Tensor SortMethods::argsort(IntArg dim, bool descending, bool stable) const {
  return taper::argsort(self_of(this), dim, descending, stable);
}
Tensor SortMethods::msort() const { return taper::msort(self_of(this)); }
std::pair<Tensor, Tensor> SortMethods::topk(IntArg k, IntArg dim, bool largest, bool sorted) const {
  return taper::topk(self_of(this), k, dim, largest, sorted);
}
std::pair<Tensor, Tensor> SortMethods::kthvalue(IntArg k, IntArg dim, bool keepdim) const {
  return taper::kthvalue(self_of(this), k, dim, keepdim);
}
std::pair<Tensor, Tensor> SortMethods::mode(IntArg dim, bool keepdim) const {
  return taper::mode(self_of(this), dim, keepdim);
}
}  // namespace ops

}  // namespace taper
