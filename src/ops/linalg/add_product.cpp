#include "ops/linalg/add_product.h"

#include "cpu/scratch.h"
#include "ops/forms.h"
#include "ops/kernel/reference.h"
#include "ops/linalg/assign.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

struct SumOperands {
  kernel::Matrices a, b, c;
};
template <AddProductKind A> SumOperands get_operands(const KernelArgs& k, const View& out) {
  if constexpr (A == AddProductKind::addmv)
    return {kernel::matrices_of(k.in[1]), kernel::column_of(k.in[2]), kernel::column_of(out)};
  else
    return {kernel::matrices_of(k.in[1]), kernel::matrices_of(k.in[2]), kernel::matrices_of(out)};
}

/// As scale_and_add, for floats of type T. The last dimension of `product` and `out` must be
/// contiguous, that of `input` contiguous or constant; returns false otherwise.
template <class T> bool scale_and_add_rows(double beta, const View& input, double alpha,
                                           const View& product, const View& out) {
  using Compute = std::conditional_t<is_narrow_float<T>, float, double>;
  using Sum = std::conditional_t<is_narrow_float<T>, float, T>;
  const auto a = static_cast<Compute>(alpha), b = static_cast<Compute>(beta);
  const std::size_t last = out.shape->size() - 1;
  std::int64_t n = (*out.shape)[last];
  const std::int64_t step = (*input.strides)[last];
  if (n > 1 && ((*out.strides)[last] != 1 || (step != 0 && step != 1))) return false;
  Shape rows = *out.shape;
  rows[last] = 1;
  if (*input.strides == *out.strides && extent_of(out) == out.numel) {
    n = out.numel;
    rows = Shape::filled(rows.size(), 1);
  }
  kernel::walk(rows, std::array<const View*, 3>{&input, &product, &out},
               [&](const std::array<std::int64_t, 3>& offsets) {
                 const T* const x = reinterpret_cast<const T*>(input.data + offsets[0]);
                 const Sum* const y = reinterpret_cast<const Sum*>(product.data + offsets[1]);
                 T* const to = reinterpret_cast<T*>(out.data + offsets[2]);
                 const auto scaled_product = [&](std::int64_t j) {
                   return a * static_cast<Compute>(y[j]);
                 };
                 if (b == 0)
                   for (std::int64_t j = 0; j < n; ++j) to[j] = element_cast<T>(scaled_product(j));
                 else if (step == 0)
                   for (std::int64_t j = 0; j < n; ++j)
                     to[j] = element_cast<T>(scaled_product(j) + b * element_cast<Compute>(x[0]));
                 else
                   for (std::int64_t j = 0; j < n; ++j)
                     to[j] = element_cast<T>(scaled_product(j) + b * element_cast<Compute>(x[j]));
               });
  return true;
}

bool scale_and_add_fast(double beta, const View& input, double alpha, const View& product,
                        const View& out) {
  return visit_dtype(out.dtype, [&]<class T>(T) {
    if constexpr (is_floating_element<T>)
      return scale_and_add_rows<T>(beta, input, alpha, product, out);
    else
      return false;
  });
}

/// Computes out = beta * input + alpha * product. If beta is 0, `input` is ignored and its NaNs do
/// not propagate.
void scale_and_add(const Scalar& beta, const View& input, const Scalar& alpha, const View& product,
                   const View& out, bool fast) {
  Shape strides;
  const View expanded_input = expand_view(input, *out.shape, strides);
  if (fast && scale_and_add_fast(beta.to_double(), expanded_input, alpha.to_double(), product, out))
    return;
  kernel::in_compute_type(out.dtype, [&]<class T>(T) {
    using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
    const auto b = static_cast<Sum>(kernel::scalar_to<T>(beta));
    const auto a = static_cast<Sum>(kernel::scalar_to<T>(alpha));
    kernel::walk(
        *out.shape, std::array<const View*, 3>{&expanded_input, &product, &out},
        [&](const std::array<std::int64_t, 3>& offsets) {
          Sum sum = a * static_cast<Sum>(kernel::load<T>(product.data + offsets[1], product.dtype));
          if (b != Sum{})
            sum += b * static_cast<Sum>(
                           kernel::load<T>(expanded_input.data + offsets[0], expanded_input.dtype));
          kernel::store(out.data + offsets[2], out.dtype, static_cast<T>(sum));
        });
  });
}

template <AddProductKind A, bool Fast>
bool add_product(const AddProduct<A>& o, const KernelArgs& k) {
  const View& out = k.out[0];
  const DType dtype = opmath_dtype(out.dtype);  // 16-bit floats are rounded once, at the end
  const cpu::Scratch scratch(static_cast<std::size_t>(out.numel) * size_of(dtype));
  const View product{scratch.as<std::byte>(), out.shape, out.strides, out.numel, dtype, nullptr};
  const SumOperands m = get_operands<A>(k, product);
  if constexpr (Fast) {
    if (!kernel::multiply(m.a, m.b, m.c)) return false;
  } else {
    kernel::multiply_reference(m.a, m.b, m.c);
  }
  scale_and_add(o.beta, k.in[0], o.alpha, product, out, Fast);
  return true;
}

/// Throws RuntimeError unless the factors of the sum can be converted to `dtype`.
template <AddProductKind A>
void check_factors(const ShapeInference& i, const AddProduct<A>& o, DType dtype) {
  i.check_range(o.beta, dtype);
  i.check_range(o.alpha, dtype);
}

void check_input(const ShapeInference& i, const Shape& result) {
  const Shape& s = i.shape(0);
  if (s.size() > result.size())
    i.fail(
        "expand: the number of sizes provided ({}) must be greater or equal to the number of "
        "dimensions in the tensor ({}): input {}, result {}",
        result.size(), s.size(), s, result);
  const std::size_t lead = result.size() - s.size();
  for (std::size_t d = 0; d < s.size(); ++d)
    if (s[d] != 1 && s[d] != result[lead + d])
      i.fail(
          "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton "
          "dimension {}.  Target sizes: {}.  Tensor sizes: {}",
          result[lead + d], s[d], lead + d, result, s);
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>("self and mat2 must have the same dtype, but got {} and {}",
                       legacy_name(i.dtype(0)), legacy_name(i.dtype(1)));
}

}  // namespace

template <> void Addmm::infer(ShapeInference& i) const {
  if (i.rank(1) != 2) i.fail("mat1 must be a matrix, got {}-D tensor", i.rank(1));
  if (i.rank(2) != 2) i.fail("mat2 must be a matrix, got {}-D tensor", i.rank(2));
  check_product(i, i.shape(1), i.dtype(1), i.shape(2), i.dtype(2));
  const Shape result{i.shape(1)[0], i.shape(2)[1]};
  check_input(i, result);
  check_factors(i, *this, opmath_dtype(i.dtype(0)));
  i.set_output(result, i.dtype(1));
}
template <> void Baddbmm::infer(ShapeInference& i) const {
  if (i.rank(1) != 3) i.fail("batch1 must be a 3D tensor, got shape {}", i.shape(1));
  if (i.rank(2) != 3) i.fail("batch2 must be a 3D tensor, got shape {}", i.shape(2));
  const Shape &a = i.shape(1), &b = i.shape(2);
  if (b[0] != a[0] || b[1] != a[2])
    i.fail(
        "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, "
        "{}].",
        a[0], a[2], b[0], b[1]);
  check_product(i, a, i.dtype(1), b, i.dtype(2));
  const Shape result{a[0], a[1], b[2]};
  check_input(i, result);
  check_factors(i, *this, opmath_dtype(i.dtype(0)));
  i.set_output(result, i.dtype(1));
}
template <> void Addmv::infer(ShapeInference& i) const {
  if (i.rank(1) != 2 || i.rank(2) != 1)
    i.fail("vector + matrix @ vector expected, got {}, {}, {}", i.rank(0), i.rank(1), i.rank(2));
  const Shape &a = i.shape(1), &v = i.shape(2);
  if (a[1] != v[0])
    i.fail("size mismatch, got input {}, mat ({}), vec ({})", i.shape(0), rows_by_cols(a[0], a[1]),
           v[0]);
  check_product(i, a, i.dtype(1), {v[0], 1}, i.dtype(2));
  check_input(i, {a[0]});
  check_factors(i, *this, i.dtype(0));
  i.set_output({a[0]}, i.dtype(1));
}

template <> void Addmm::backward(BackwardContext<Addmm>& b) const {
  if (b.needs_input_grad(0)) b[0] = multiply_by(b.grad(), beta);
  if (b.needs_input_grad(1)) b[1] = multiply_by(b.grad().mm(b.input<2>().t()), alpha);
  if (b.needs_input_grad(2)) b[2] = multiply_by(b.input<1>().t().mm(b.grad()), alpha);
}
template <> void Baddbmm::backward(BackwardContext<Baddbmm>& b) const {
  if (b.needs_input_grad(0)) b[0] = multiply_by(b.grad(), beta);
  if (b.needs_input_grad(1)) b[1] = multiply_by(b.grad().bmm(b.input<2>().mT()), alpha);
  if (b.needs_input_grad(2)) b[2] = multiply_by(b.input<1>().mT().bmm(b.grad()), alpha);
}
template <> void Addmv::backward(BackwardContext<Addmv>& b) const {
  if (b.needs_input_grad(0)) b[0] = multiply_by(b.grad(), beta);
  if (b.needs_input_grad(1)) b[1] = multiply_by(outer(b.grad(), b.input<2>()), alpha);
  if (b.needs_input_grad(2)) b[2] = multiply_by(b.input<1>().t().mv(b.grad()), alpha);
}

template <AddProductKind A> double AddProduct<A>::flops(const KernelArgs& k) const {
  const auto o = get_operands<A>(k, k.out[0]);
  return kernel::product_flops(o.a, o.c);
}
template struct AddProduct<AddProductKind::addmm>;
template struct AddProduct<AddProductKind::baddbmm>;
template struct AddProduct<AddProductKind::addmv>;

#define TAPER_ADD_PRODUCT_KERNELS(O, A)                                \
  template <> void reference_kernel(const O& o, const KernelArgs& k) { \
    add_product<AddProductKind::A, false>(o, k);                       \
  }                                                                    \
  template <> bool cpu_kernel(const O& o, const KernelArgs& k) {       \
    return add_product<AddProductKind::A, true>(o, k);                 \
  }
TAPER_ADD_PRODUCT_KERNELS(Addmm, addmm)
TAPER_ADD_PRODUCT_KERNELS(Baddbmm, baddbmm)
TAPER_ADD_PRODUCT_KERNELS(Addmv, addmv)
#undef TAPER_ADD_PRODUCT_KERNELS

TAPER_DEFINE_OP(addmm, Addmm);
TAPER_DEFINE_OP(baddbmm, Baddbmm);
TAPER_DEFINE_OP(addmv, Addmv);

Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha) {
  return run(Addmm{beta, alpha}, input, mat1, mat2);
}
Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  return run(Baddbmm{beta, alpha}, input, batch1, batch2);
}
Tensor addmv(const Tensor& input, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha) {
  return run(Addmv{beta, alpha}, input, mat, vec);
}

namespace ops {
Tensor LinalgMethods::addmm(const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                            const Scalar& alpha) const {
  return taper::addmm(self_of(this), mat1, mat2, beta, alpha);
}
Tensor LinalgMethods::addmv(const Tensor& mat, const Tensor& vec, const Scalar& beta,
                            const Scalar& alpha) const {
  return taper::addmv(self_of(this), mat, vec, beta, alpha);
}
Tensor LinalgMethods::baddbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                              const Scalar& alpha) const {
  return taper::baddbmm(self_of(this), batch1, batch2, beta, alpha);
}
const Tensor& LinalgMethods::addmm_(const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                                    const Scalar& alpha) const {
  return assign_result(self_of(this), "addmm_", [&] { return addmm(mat1, mat2, beta, alpha); });
}
const Tensor& LinalgMethods::addmv_(const Tensor& mat, const Tensor& vec, const Scalar& beta,
                                    const Scalar& alpha) const {
  return assign_result(self_of(this), "addmv_", [&] { return addmv(mat, vec, beta, alpha); });
}
const Tensor& LinalgMethods::baddbmm_(const Tensor& batch1, const Tensor& batch2,
                                      const Scalar& beta, const Scalar& alpha) const {
  return assign_result(self_of(this), "baddbmm_",
                       [&] { return baddbmm(batch1, batch2, beta, alpha); });
}
}  // namespace ops

}  // namespace taper
