#include "ops/indexing/gather.h"

#include "ops/forms.h"

namespace taper {
namespace {

/// Throws ShapeError if the index, input 1, has another rank than `within` or is larger in a
/// dimension other than `skip`. `shape_name` is the name of `within` in messages.
void check_within(const ShapeInference& i, const Shape& within, const char* shape_name,
                  std::size_t skip) {
  const Shape& index = i.shape(1);
  const auto rank = [](const Shape& s) { return std::max<std::size_t>(s.size(), 1); };
  if (rank(index) != rank(within))
    i.fail("Index tensor must have the same number of dimensions as {} tensor: got {} and {}",
           shape_name, index, within);
  if (index.numel() == 0) return;
  for (std::size_t d = 0; d < index.size() && d < within.size(); ++d)
    if (d != skip && index[d] > within[d])
      i.fail("Size does not match at dimension {} expected index {} to be no larger than {} {}", d,
             index, shape_name, within);
}

constexpr std::size_t kNoSkippedDim = 1000;

void check_gather(const ShapeInference& i, std::int64_t dim, bool has_src) {
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), i.op.function()));
  if (i.dtype(1) != DType::i64 && i.dtype(1) != DType::i32)
    i.fail<DTypeError>("Expected dtype int32/int64 for index: got {}", i.dtype(1));
  check_within(i, i.shape(0), "self", d);
  if (!has_src) return;
  check_within(i, i.shape(2), "src", kNoSkippedDim);
  if (i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>("Expected self.dtype to be equal to src.dtype: got {} and {}", i.dtype(0),
                       i.dtype(2));
}

/// Returns the gradient of src, which is zero outside the part covered by the index.
Tensor src_gradient(const Tensor& grad, std::int64_t dim, const Tensor& index, const Shape& src) {
  const Tensor gathered = grad.gather(dim, index);
  if (gathered.shape() == src) return gathered;
  const Tensor full_grad = indexing::zeros_for(src, grad);
  Tensor covered = full_grad;
  for (std::size_t d = 0; d < src.size(); ++d)
    covered = covered.narrow(static_cast<std::int64_t>(d), 0, gathered.shape()[d]);
  covered.copy_(gathered);
  return full_grad;
}

}  // namespace

void Gather::infer(ShapeInference& i) const {
  check_gather(i, dim, false);
  i.set_output(i.shape(1), i.dtype(0));
}
void Gather::backward(BackwardContext<Gather>& b) const {
  const Tensor full_grad = indexing::zeros_for(b.input_meta(0).shape, b.grad());
  b[0] = full_grad.scatter_add_(dim, b.input<1>(), b.grad());
}

void Scatter::infer(ShapeInference& i) const {
  check_gather(i, dim, true);
  i.set_output(i.shape(0), i.dtype(0));
}
void Scatter::backward(BackwardContext<Scatter>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad().scatter(dim, b.input<1>(), 0);
  if (b.needs_input_grad(2))
    b[2] = src_gradient(b.grad(), dim, b.input<1>(), b.input_meta(2).shape);
}

void ScatterValue::infer(ShapeInference& i) const {
  check_gather(i, dim, false);
  if (i.tensor(1).numel > 0) i.check_range(value, i.dtype(0));
  i.set_output(i.shape(0), i.dtype(0));
}
void ScatterValue::backward(BackwardContext<ScatterValue>& b) const {
  b[0] = b.grad().scatter(dim, b.input<1>(), 0);
}

void ScatterAdd::infer(ShapeInference& i) const {
  check_gather(i, dim, true);
  i.set_output(i.shape(0), i.dtype(0));
}
void ScatterAdd::backward(BackwardContext<ScatterAdd>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(2))
    b[2] = src_gradient(b.grad(), dim, b.input<1>(), b.input_meta(2).shape);
}

TAPER_DEFINE_OP(gather, Gather);
TAPER_DEFINE_OP(scatter, Scatter);
TAPER_DEFINE_OP(scatter_value, ScatterValue);
TAPER_DEFINE_OP(scatter_add, ScatterAdd);

#define TAPER_SOURCE (IntArg dim, const Tensor& index, const Tensor& src)
#define TAPER_VALUE (IntArg dim, const Tensor& index, const Scalar& value)
TAPER_FUNCTION(gather, (IntArg dim, const Tensor& index), Gather{dim}, index)
TAPER_METHOD(Indexing, gather, (IntArg dim, const Tensor& index), Gather{dim}, index)
TAPER_ALL_FORMS(Indexing, scatter, TAPER_SOURCE, Scatter{dim}, index, src)
TAPER_ALL_FORMS(Indexing, scatter_add, TAPER_SOURCE, ScatterAdd{dim}, index, src)
TAPER_METHODS(Indexing, scatter, TAPER_VALUE, (ScatterValue{dim, value}), index)

}  // namespace taper
