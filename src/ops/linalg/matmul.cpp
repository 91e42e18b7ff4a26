// matmul: products of operands of any rank, reduced to mm, bmm, mv and dot.
#include "core/named_call.h"
#include "ops/autocast.h"
#include "ops/forms.h"
#include "ops/linalg/unsafe_view.h"
#include "ops/promote.h"
#include "ops/view/geometry.h"

namespace taper {
namespace {

Shape batch_of(const Shape& s) {
  return s.size() <= 2 ? Shape() : Shape(std::span(s.data(), s.size() - 2));
}

/// Returns the operand as (B, rows, cols), expanded to the common batch sizes.
Tensor as_batches(const Tensor& t, const Shape& batch, std::int64_t count) {
  const Shape& s = t.shape();
  const std::int64_t rows = s[s.size() - 2], cols = s.back();
  Shape full = batch;
  full.push_back(rows), full.push_back(cols);
  return t.expand(full).reshape({count, rows, cols});
}

}  // namespace

void UnsafeView::infer(ShapeInference& i) const {
  const TensorImpl& t = i.tensor(0);
  const Shape shape = view::infer_size(size, t.numel, op.function());
  const auto strides = view::compute_strides(t.shape, t.strides, shape);
  if (!strides) i.fail("shape '{}' is invalid for input of shape {}", size, t.shape);
  i.set_view_output(shape, *strides, t.offset);
}
void UnsafeView::backward(BackwardContext<UnsafeView>& b) const {
  b[0] = b.grad().reshape(b.input_meta(0).shape);
}

TAPER_DEFINE_OP(unsafe_view, UnsafeView);

Tensor unsafe_view(const Tensor& fresh, const Shape& shape) {
  const Tensor result = run(UnsafeView{shape}, fresh);
  impl(result).base = {};
  impl(result).creation_meta = CreationMeta::normal;
  return result;
}

namespace {

Tensor product_by_rank(const Tensor& a, const Tensor& b) {
  const std::int64_t m = a.dim(), n = b.dim();
  if (m == 0 || n == 0)
    fail<ShapeError>(
        "matmul: both arguments to matmul need to be at least 1D, but they are {}D and {}D", m, n);
  if (m == 1 && n == 1) return a.dot(b);
  if (m == 2 && n == 1) return a.mv(b);
  if (m == 1 && n == 2) return a.unsqueeze(0).mm(b).squeeze(0);
  if (m == 2 && n == 2) return a.mm(b);

  if (m >= 3 && n <= 2) {  // fold the batch into the rows
    Shape result = a.shape();
    const std::int64_t k = result.back();
    result.resize(result.size() - 1);
    const Tensor folded = a.reshape({result.numel(), k});
    if (n == 1) return unsafe_view(folded.mv(b), result);
    result.push_back(b.size(1));
    return unsafe_view(folded.mm(b), result);
  }
  const Tensor left = m == 1 ? a.unsqueeze(0) : a, right = n == 1 ? b.unsqueeze(1) : b;
  Shape batch = batch_of(left.shape());
  broadcast_into(batch, batch_of(right.shape()), "matmul");
  const std::int64_t count = batch.numel();
  const Tensor product = as_batches(left, batch, count).bmm(as_batches(right, batch, count));
  Shape result = batch;
  if (m > 1) result.push_back(product.size(1));
  if (n > 1) result.push_back(product.size(2));
  return unsafe_view(product, result);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (tls.autocast) return autocast_call(AutocastPolicy::lower_precision, matmul, a, b);
  return named_call("matmul", [&] { return product_by_rank(a, b); });
}

namespace ops {
Tensor LinalgMethods::matmul(const Tensor& other) const {
  return taper::matmul(self_of(this), other);
}
}  // namespace ops

}  // namespace taper
