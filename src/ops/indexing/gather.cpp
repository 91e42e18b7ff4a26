#include "ops/indexing/gather.h"

#include "taper/core/factory.h"

namespace taper {
namespace {

/// `index` must lie within `within` (named `what`) in all dimensions but `skip`.
void check_within(const Infer& i, const Shape& within, const char* what, std::size_t skip) {
  const Shape& index = i.shape(1);
  const auto rank = [](const Shape& s) { return std::max<std::size_t>(s.size(), 1); };
  if (rank(index) != rank(within))
    i.fail("Index tensor must have the same number of dimensions as {} tensor: got {} and {}", what,
           index, within);
  if (index.numel() == 0) return;
  for (std::size_t d = 0; d < index.size() && d < within.size(); ++d)
    if (d != skip && index[d] > within[d])
      i.fail("Size does not match at dimension {} expected index {} to be no larger than {} {}", d,
             index, what, within);
}

constexpr std::size_t kNone = 1000;

void check(const Infer& i, std::int64_t dim, bool has_src) {
  const auto d = static_cast<std::size_t>(wrap_dim(dim, i.rank(0), i.op.name));
  if (i.dtype(1) != DType::i64 && i.dtype(1) != DType::i32)
    i.fail<DTypeError>("Expected dtype int32/int64 for index: got {}", i.dtype(1));
  check_within(i, i.shape(0), "self", d);
  if (!has_src) return;
  check_within(i, i.shape(2), "src", kNone);
  if (i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>("Expected self.dtype to be equal to src.dtype: got {} and {}", i.dtype(0),
                       i.dtype(2));
}

/// What reached src: only the part of it that the index covers.
Tensor src_gradient(const Tensor& grad, std::int64_t dim, const Tensor& index, const Shape& src) {
  const Tensor got = grad.gather(dim, index);
  if (got.shape() == src) return got;
  const Tensor whole = zeros(src, {.dtype = grad.dtype(), .device = grad.device()});
  Tensor part = whole;
  for (std::size_t d = 0; d < src.size(); ++d)
    part = part.narrow(static_cast<std::int64_t>(d), 0, got.shape()[d]);
  part.copy_(got);
  return whole;
}

}  // namespace

void Gather::infer(Infer& i) const {
  check(i, dim, false);
  i.give(i.shape(1), i.dtype(0));
}
void Gather::backward(BackwardContext<Gather>& b) const {
  const Tensor whole =
      zeros(b.in_meta(0).shape, {.dtype = b.grad().dtype(), .device = b.grad().device()});
  b[0] = whole.scatter_add_(dim, b.input<1>(), b.grad());
}

void Scatter::infer(Infer& i) const {
  check(i, dim, true);
  i.give(i.shape(0), i.dtype(0));
}
void Scatter::backward(BackwardContext<Scatter>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad().scatter(dim, b.input<1>(), 0);
  if (b.needs_input_grad(2)) b[2] = src_gradient(b.grad(), dim, b.input<1>(), b.in_meta(2).shape);
}

void ScatterValue::infer(Infer& i) const {
  check(i, dim, false);
  i.give(i.shape(0), i.dtype(0));
}
void ScatterValue::backward(BackwardContext<ScatterValue>& b) const {
  b[0] = b.grad().scatter(dim, b.input<1>(), 0);
}

void ScatterAdd::infer(Infer& i) const {
  check(i, dim, true);
  i.give(i.shape(0), i.dtype(0));
}
void ScatterAdd::backward(BackwardContext<ScatterAdd>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad();
  if (b.needs_input_grad(2)) b[2] = src_gradient(b.grad(), dim, b.input<1>(), b.in_meta(2).shape);
}

TAPER_DEFINE_OP(gather, Gather);
TAPER_DEFINE_OP(scatter, Scatter);
TAPER_DEFINE_OP(scatter_value, ScatterValue);
TAPER_DEFINE_OP(scatter_add, ScatterAdd);

Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index) {
  return run(Gather{dim}, x, index);
}
Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& src) {
  return run(Scatter{dim}, x, index, src);
}
Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& src) {
  return run(ScatterAdd{dim}, x, index, src);
}

namespace ops {
namespace {
const Tensor& self_of(const IndexingMethods* m) { return *static_cast<const Tensor*>(m); }
}  // namespace
Tensor IndexingMethods::gather(std::int64_t dim, const Tensor& index) const {
  return run(Gather{dim}, self_of(this), index);
}
Tensor IndexingMethods::scatter(std::int64_t dim, const Tensor& index, const Tensor& src) const {
  return run(Scatter{dim}, self_of(this), index, src);
}
Tensor IndexingMethods::scatter(std::int64_t dim, const Tensor& index, const Scalar& value) const {
  return run(ScatterValue{dim, value}, self_of(this), index);
}
const Tensor& IndexingMethods::scatter_(std::int64_t dim, const Tensor& index,
                                        const Tensor& src) const {
  return run_inplace(Scatter{dim}, self_of(this), index, src);
}
const Tensor& IndexingMethods::scatter_(std::int64_t dim, const Tensor& index,
                                        const Scalar& value) const {
  return run_inplace(ScatterValue{dim, value}, self_of(this), index);
}
Tensor IndexingMethods::scatter_add(std::int64_t dim, const Tensor& index,
                                    const Tensor& src) const {
  return run(ScatterAdd{dim}, self_of(this), index, src);
}
const Tensor& IndexingMethods::scatter_add_(std::int64_t dim, const Tensor& index,
                                            const Tensor& src) const {
  return run_inplace(ScatterAdd{dim}, self_of(this), index, src);
}
}  // namespace ops

}  // namespace taper
