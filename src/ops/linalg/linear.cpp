#include "ops/linalg/linear.h"

#include <algorithm>

#include "core/add_to.h"
#include "core/named_call.h"
#include "ops/autocast.h"
#include "ops/kernel/reference.h"
#include "ops/linalg/functions.h"
#include "ops/linalg/unsafe_view.h"
#include "taper/core/tensor.h"
#include "taper/ops/linalg.h"

namespace taper {

using kernel::Matrices;
using kernel::matrices_of;

void Linear::infer(ShapeInference& i) const {
  const Shape &x = i.shape(0), &w = i.shape(1);
  if (x.size() != 2 || w.size() != 2)
    i.fail("input and weight must be matrices: got shapes {} and {}", x, w);
  if (x[1] != w[1] || i.dtype(0) != i.dtype(1))
    check_product(i, x, i.dtype(0), {w[1], w[0]}, i.dtype(1));
  if (const Shape& bias = i.shape(2); bias.size() != 1 || bias[0] != w[0])
    i.fail("expected a bias of shape [{}], got {}", w[0], bias);
  if (i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>("input and bias must have the same dtype, but got {} and {}", i.dtype(0),
                       i.dtype(2));
  i.set_output({x[0], w[0]}, i.dtype(0));
}

template <> void reference_kernel(const Linear&, const KernelArgs& k) {
  const View& out = k.out[0];
  kernel::multiply_reference(matrices_of(k.in[0]), matrices_of(k.in[1]).transposed(),
                             matrices_of(out));
  const Shape bias_strides{0, (*k.in[2].strides)[0]};
  const View bias{k.in[2].data, out.shape, &bias_strides, out.numel, k.in[2].dtype, nullptr};
  kernel::in_compute_type(out.dtype, [&]<class T>(T) {
    kernel::walk(*out.shape, std::array<const View*, 2>{&bias, &out},
                 [&](const std::array<std::int64_t, 2>& at) {
                   std::byte* to = out.data + at[1];
                   kernel::store(to, out.dtype,
                                 kernel::plus(kernel::load<T>(to, out.dtype),
                                              kernel::load<T>(bias.data + at[0], bias.dtype)));
                 });
  });
}

double Linear::flops(const KernelArgs& k) const {
  return kernel::product_flops(matrices_of(k.in[0]), matrices_of(k.out[0]));
}

void LinearBackward::infer(ShapeInference& i) const {
  const Shape &g = i.shape(0), &x = i.shape(1), &w = i.shape(2);
  if (g.size() != 2 || x.size() != 2 || w.size() != 2 || g[0] != x[0] || x[1] != w[1] ||
      g[1] != w[0])
    i.fail("inconsistent shapes: got grad {}, input {}, weight {}", g, x, w);
  if (i.dtype(0) != i.dtype(1) || i.dtype(1) != i.dtype(2))
    i.fail<DTypeError>("expected grad, input and weight of one dtype, got {}, {} and {}",
                       i.dtype(0), i.dtype(1), i.dtype(2));
  i.set_optional_output(compute_grad_input, x, i.dtype(1));
  i.set_optional_output(compute_grad_weight, w, i.dtype(2));
  i.set_optional_output(compute_grad_bias, {w[0]}, i.dtype(2));
}

void LinearBackward::backward(BackwardContext<LinearBackward>& b) const {
  // dx = g w, dw = g^T x, db = sum of the rows of g: each is linear in both of its factors.
  const Tensor g = b.input<0>(), x = b.input<1>(), w = b.input<2>();
  const Tensor u = b.has_grad(0) ? b.grad(0) : Tensor(), v = b.has_grad(1) ? b.grad(1) : Tensor();
  if (b.needs_input_grad(0)) {
    if (u.defined()) add_to(b[0], u.mm(w.t()));
    if (v.defined()) add_to(b[0], x.mm(v.t()));
    if (b.has_grad(2)) add_to(b[0], b.grad(2).expand(b.input_meta(0).shape));
  }
  if (b.needs_input_grad(1) && v.defined()) b[1] = g.mm(v);
  if (b.needs_input_grad(2) && u.defined()) b[2] = g.t().mm(u);
}

template <> void reference_kernel(const LinearBackward&, const KernelArgs& k) {
  const Matrices g = matrices_of(k.in[0]);
  if (k.out[0].shape) kernel::multiply_reference(g, matrices_of(k.in[2]), matrices_of(k.out[0]));
  if (k.out[1].shape)
    kernel::multiply_reference(g.transposed(), matrices_of(k.in[1]), matrices_of(k.out[1]));
  if (const View& db = k.out[2]; db.shape)
    kernel::in_compute_type(db.dtype, [&]<class T>(T) {
      const auto size = static_cast<std::int64_t>(size_of(g.first.dtype));
      for (std::int64_t j = 0; j < db.numel; ++j) {
        T sum{};
        for (std::int64_t i = 0; i < g.first.rows; ++i)
          sum = kernel::plus(
              sum, kernel::load<T>(
                       g.first.data + (i * g.first.row_stride + j * g.first.col_stride) * size,
                       g.first.dtype));
        kernel::store(db.data + j * kernel::element_size(db), db.dtype, sum);
      }
    });
}

double LinearBackward::flops(const KernelArgs& k) const {
  return (compute_grad_input + compute_grad_weight) *
         kernel::product_flops(matrices_of(k.in[0]), matrices_of(k.in[1]));
}

void Linear::backward(BackwardContext<Linear>& b) const {
  auto [dx, dw, db] =
      run_all(LinearBackward{b.needs_input_grad(0), b.needs_input_grad(1), b.needs_input_grad(2)},
              b.grad(), b.input<0>(), b.input<1>());
  b[0] = std::move(dx), b[1] = std::move(dw), b[2] = std::move(db);
}

TAPER_DEFINE_OP(linear, Linear);
TAPER_DEFINE_OP(linear_backward, LinearBackward);

namespace {

/// Returns true for a vector, also with additional dimensions of size 1.
bool is_vector(const Tensor& bias) {
  return bias.dim() == 1 || std::ranges::count_if(bias.shape(), [](auto n) { return n != 1; }) == 1;
}

/// Returns the product of the input as a matrix, calculated by function(matrix), in the shape of
/// the result.
template <class F> Tensor on_rows(const Tensor& input, std::int64_t outputs, F function) {
  Shape result = input.shape();
  const std::int64_t k = result.back();
  result[result.size() - 1] = outputs;
  const std::int64_t rows =
      k == 0 ? result.numel() / std::max<std::int64_t>(1, outputs) : input.numel() / k;
  return unsafe_view(function(input.reshape({rows, k})), result);
}

/// A bias of another form than one element per output. As in PyTorch, it may be broadcast to the
/// product, but not the product to it.
Tensor linear_with_broadcast_bias(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::lower_precision, linear_with_broadcast_bias, input, weight,
                         bias);
  const Tensor transposed = weight.t();
  const auto product = [&](const Tensor& rows) { return addmm(bias, rows, transposed); };
  if (input.dim() == 2) return product(input);
  if (is_vector(bias)) return on_rows(input, weight.size(0), product);
  return matmul(input, transposed).add_(bias);
}

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, OptionalTensorRef bias) {
  const std::int64_t rank = input.dim();
  if (rank == 0 || weight.dim() == 0)
    fail<ShapeError>(
        "linear: both arguments to linear need to be at least 1D, but they are {}D and {}D", rank,
        weight.dim());
  if (!bias) return named_call("linear", [&] { return matmul(input, weight.t()); });
  if (weight.dim() != 2 || bias->dim() != 1 || bias->size(0) != weight.size(0))
    return named_call("linear", [&] { return linear_with_broadcast_bias(input, weight, *bias); });
  const auto product = [&](const Tensor& rows) { return run(Linear{}, rows, weight, *bias); };
  return rank == 2 ? product(input) : on_rows(input, weight.size(0), product);
}

}  // namespace taper
