#include "ops/linalg/product.h"

#include <vector>

#include "ops/forms.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

struct Operands {
  kernel::Matrices a, b, c;
};
template <ProductKind P> Operands get_operands(const KernelArgs& k) {
  using kernel::column_of;
  using kernel::matrices_of;
  if constexpr (P == ProductKind::matrix_vector)
    return {matrices_of(k.in[0]), column_of(k.in[1]), column_of(k.out[0])};
  else if constexpr (P == ProductKind::vectors)
    return {column_of(k.in[0]).transposed(),
            column_of(k.in[1]),
            {{k.out[0].data, 1, 1, 1, 1, k.out[0].dtype}}};
  else
    return {matrices_of(k.in[0]), matrices_of(k.in[1]), matrices_of(k.out[0])};
}

/// Computes the product of long vectors as the sum of the products of parts, which threads share.
/// Returns false for others.
bool dot_of_parts(const Operands& o) {
  constexpr std::int64_t kPart = 1 << 16;
  const std::int64_t n = o.a.first.cols, parts = n / kPart;
  if (parts < 2 || (o.c.first.dtype != DType::f32 && o.c.first.dtype != DType::f64)) return false;
  const auto sum_parts = [&]<class T>(T) {
    std::vector<T> sums(static_cast<std::size_t>(parts) + 1, T(0));
    kernel::Matrices a = o.a, b = o.b, c = o.c;
    c.first.data = reinterpret_cast<std::byte*>(sums.data());
    a.first.cols = b.first.rows = kPart;
    a.count = b.count = c.count = parts;
    a.step = kPart * a.first.col_stride, b.step = kPart * b.first.row_stride, c.step = 1;
    kernel::multiply(a, b, c);
    const auto size = static_cast<std::int64_t>(sizeof(T));
    a.first.data += parts * a.step * size, b.first.data += parts * b.step * size;
    c.first.data += parts * size;
    a.first.cols = b.first.rows = n - parts * kPart;
    a.count = b.count = c.count = 1;
    if (a.first.cols > 0) kernel::multiply(a, b, c);
    double total = 0;
    for (const T sum : sums) total += static_cast<double>(sum);
    *reinterpret_cast<T*>(o.c.first.data) = static_cast<T>(total);
  };
  o.c.first.dtype == DType::f64 ? sum_parts(double()) : sum_parts(float());
  return true;
}

void check_same_dtype(const ShapeInference& i) {
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>("expected both operands to have the same dtype, but got: {} != {}",
                       i.dtype(0), i.dtype(1));
}

}  // namespace

template <> void Mm::infer(ShapeInference& i) const {
  if (i.rank(0) != 2) i.fail("self must be a matrix, got {}-D tensor", i.rank(0));
  if (i.rank(1) != 2) i.fail("mat2 must be a matrix, got {}-D tensor", i.rank(1));
  check_product(i, i.shape(0), i.dtype(0), i.shape(1), i.dtype(1));
  i.set_output({i.shape(0)[0], i.shape(1)[1]}, i.dtype(0));
}

template <> void Bmm::infer(ShapeInference& i) const {
  if (i.rank(0) != 3) i.fail("batch1 must be a 3D tensor, got shape {}", i.shape(0));
  if (i.rank(1) != 3) i.fail("batch2 must be a 3D tensor, got shape {}", i.shape(1));
  const Shape &a = i.shape(0), &b = i.shape(1);
  if (b[0] != a[0] || b[1] != a[2])
    i.fail(
        "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, "
        "{}].",
        a[0], a[2], b[0], b[1]);
  check_same_dtype(i);
  i.set_output({a[0], a[1], b[2]}, i.dtype(0));
}

template <> void Mv::infer(ShapeInference& i) const {
  if (i.rank(0) != 2 || i.rank(1) != 1)
    i.fail("vector + matrix @ vector expected, got 1, {}, {} (shapes {} and {})", i.rank(0),
           i.rank(1), i.shape(0), i.shape(1));
  const Shape &a = i.shape(0), &v = i.shape(1);
  if (a[1] != v[0])
    i.fail("size mismatch, got input ({}), mat ({}), vec ({})", a[0], rows_by_cols(a[0], a[1]),
           v[0]);
  check_same_dtype(i);
  i.set_output({a[0]}, i.dtype(0));
}

template <> void Dot::infer(ShapeInference& i) const {
  if (i.rank(0) != 1 || i.rank(1) != 1)
    i.fail("1D tensors expected, but got {}D and {}D tensors", i.rank(0), i.rank(1));
  if (i.shape(0)[0] != i.shape(1)[0])
    i.fail(
        "inconsistent tensor size, expected tensor {} and src {} to have the same number of "
        "elements, but got {} and {} elements respectively",
        i.shape(0), i.shape(1), i.shape(0)[0], i.shape(1)[0]);
  check_same_dtype(i);
  i.set_output({}, i.dtype(0));
}

template <> void Mm::backward(BackwardContext<Mm>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad().mm(b.input<1>().t());
  if (b.needs_input_grad(1)) b[1] = b.input<0>().t().mm(b.grad());
}
template <> void Bmm::backward(BackwardContext<Bmm>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.grad().bmm(b.input<1>().mT());
  if (b.needs_input_grad(1)) b[1] = b.input<0>().mT().bmm(b.grad());
}
template <> void Mv::backward(BackwardContext<Mv>& b) const {
  if (b.needs_input_grad(0)) b[0] = outer(b.grad(), b.input<1>());
  if (b.needs_input_grad(1)) b[1] = b.input<0>().t().mv(b.grad());
}
template <> void Dot::backward(BackwardContext<Dot>& b) const {
  if (b.needs_input_grad(0)) b[0] = b.input<1>().mul(b.grad());
  if (b.needs_input_grad(1)) b[1] = b.input<0>().mul(b.grad());
}

template <ProductKind P> double Product<P>::flops(const KernelArgs& k) const {
  const auto o = get_operands<P>(k);
  return kernel::product_flops(o.a, o.c);
}
template struct Product<ProductKind::matrices>;
template struct Product<ProductKind::batches>;
template struct Product<ProductKind::matrix_vector>;
template struct Product<ProductKind::vectors>;

#define TAPER_PRODUCT_KERNELS(O, P)                                  \
  template <> void reference_kernel(const O&, const KernelArgs& k) { \
    const auto o = get_operands<ProductKind::P>(k);                  \
    kernel::multiply_reference(o.a, o.b, o.c);                       \
  }                                                                  \
  template <> bool cpu_kernel(const O&, const KernelArgs& k) {       \
    const auto o = get_operands<ProductKind::P>(k);                  \
    return kernel::multiply(o.a, o.b, o.c);                          \
  }
TAPER_PRODUCT_KERNELS(Mm, matrices)
TAPER_PRODUCT_KERNELS(Bmm, batches)
TAPER_PRODUCT_KERNELS(Mv, matrix_vector)
#undef TAPER_PRODUCT_KERNELS

template <> void reference_kernel(const Dot&, const KernelArgs& k) {
  const auto o = get_operands<ProductKind::vectors>(k);
  kernel::multiply_reference(o.a, o.b, o.c);
}
template <> bool cpu_kernel(const Dot&, const KernelArgs& k) {
  const auto o = get_operands<ProductKind::vectors>(k);
  return dot_of_parts(o) || kernel::multiply(o.a, o.b, o.c);
}

TAPER_DEFINE_OP(mm, Mm);
TAPER_DEFINE_OP(bmm, Bmm);
TAPER_DEFINE_OP(mv, Mv);
TAPER_DEFINE_OP(dot, Dot);

Tensor mm(const Tensor& a, const Tensor& b) { return run(Mm{}, a, b); }
Tensor bmm(const Tensor& a, const Tensor& b) { return run(Bmm{}, a, b); }
Tensor mv(const Tensor& a, const Tensor& v) { return run(Mv{}, a, v); }
Tensor dot(const Tensor& a, const Tensor& b) { return run(Dot{}, a, b); }
Tensor outer(const Tensor& a, const Tensor& b) {
  if (a.dim() != 1 || b.dim() != 1)
    fail<ShapeError>("outer: Expected 1-D argument {}, but got {}-D",
                     a.dim() != 1 ? "self" : "vec2", a.dim() != 1 ? a.dim() : b.dim());
  return a.view({a.size(0), 1}).mul(b);
}

namespace ops {
Tensor LinalgMethods::mm(const Tensor& b) const { return run(Mm{}, self_of(this), b); }
Tensor LinalgMethods::bmm(const Tensor& b) const { return run(Bmm{}, self_of(this), b); }
Tensor LinalgMethods::mv(const Tensor& v) const { return run(Mv{}, self_of(this), v); }
Tensor LinalgMethods::dot(const Tensor& b) const { return run(Dot{}, self_of(this), b); }
Tensor LinalgMethods::outer(const Tensor& b) const { return taper::outer(self_of(this), b); }
}  // namespace ops

}  // namespace taper
