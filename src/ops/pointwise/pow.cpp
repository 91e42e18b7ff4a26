#include "ops/pointwise/pow.h"

#include <cmath>

#include "core/dtype_table.h"
#include "ops/kernel/reference.h"
#include "ops/pointwise/elements.h"

namespace taper {
namespace {

template <class T> T power(T base, T exponent) {
  if constexpr (std::is_integral_v<T>) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    T result = 1;
    for (T square = base; exponent; exponent /= 2, square = kernel::times(square, square))
      if (exponent % 2) result = kernel::times(result, square);
    return result;
  } else {
    return std::pow(base, exponent);
  }
}
/// Computes the common exponents as PyTorch does, whose results differ from pow() for -0 and
/// -infinity.
double special_power(double x, double exponent) {
  if (exponent == 0.5) return std::sqrt(x);
  if (exponent == -0.5) return 1 / std::sqrt(x);
  return std::pow(x, exponent);
}
/// Returns the dtype of a power of a tensor and a number. Throws NotImplementedError if it is bool,
/// uint16, uint32 or uint64.
DType power_dtype(const ShapeInference& i, const Scalar& number) {
  const DType result = promote_with_number(i.common, number);
  if (result == DType::bool_ || is_barebones_unsigned(result)) i.reject_dtype(result);
  return result;
}

}  // namespace

void PowScalar::infer(ShapeInference& i) const {
  const DType result = power_dtype(i, exponent);
  if (!is_floating_point(result) && exponent.to_int() < 0)
    i.fail<ValueError>("Integers to negative integer powers are not allowed: got {} ** {}",
                       i.common, exponent);
  if (result != DType::f32 && result != DType::f64) i.check_range(exponent, result);
  i.set_output(i.shape(0), result);
}
void PowTensor::infer(ShapeInference& i) const { i.set_broadcast_output(); }
void PowNumber::infer(ShapeInference& i) const { i.set_output(i.shape(0), power_dtype(i, self)); }

void PowScalar::backward(BackwardContext<PowScalar>& b) const {
  const double e = exponent.to_double();
  if (e == 2) {  // the double of either factor may overflow
    b[0] = b.grad() * b.input<0>() * e;
    return;
  }
  b[0] = e == 0 ? zero_grad_for(b, 0) : b.grad() * (b.input<0>().pow(e - 1) * e);
}
void PowTensor::backward(BackwardContext<PowTensor>& b) const {
  const Tensor x = b.input<0>(), e = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = where(e == 0, 0, b.grad() * (e * x.pow(e - 1)));
  if (b.needs_input_grad(1))
    // The power of 0 is constant. Its logarithm is replaced before any product, so that gradients
    // of this gradient do not contain 0 times infinity.
    b[1] = b.grad() * (b.output<0>() * x.masked_fill((x == 0).logical_and(e >= 0), 1).log());
}
void PowNumber::backward(BackwardContext<PowNumber>& b) const {
  const double base = self.to_double();
  Tensor log = full({}, std::log(base), {.dtype = b.grad().dtype(), .device = b.grad().device()});
  if (base == 0) log = where(b.input<0>() >= 0, 0, log);
  b[0] = b.grad() * (b.output<0>() * log);
}

template <> void reference_kernel(const PowScalar& o, const KernelArgs& k) {
  kernel::map<1>(in_output_dtype(k), [&o]<class T>(T x) {
    if constexpr (std::is_same_v<T, double>)
      return special_power(x, o.exponent.to_double());
    else
      return power(x, kernel::scalar_to<T>(o.exponent));
  });
}
template <> void reference_kernel(const PowTensor&, const KernelArgs& k) {
  kernel::map<2>(k, [](auto x, auto e) { return power(x, e); });
}
template <> void reference_kernel(const PowNumber& o, const KernelArgs& k) {
  kernel::map<1>(in_output_dtype(k), [&o]<class T>(T exponent) {
    return power(kernel::scalar_to<T>(o.self), exponent);
  });
}

TAPER_DEFINE_OP(pow, PowScalar);
TAPER_DEFINE_OP(pow_tensor, PowTensor);
TAPER_DEFINE_OP(pow_number, PowNumber);

TAPER_ALL_FORMS(Pointwise, pow, (const Tensor& exponent), PowTensor{}, exponent)
TAPER_ALL_FORMS(Pointwise, pow, (const Scalar& exponent), PowScalar{exponent})
TAPER_ALL_FORMS(Pointwise, square, (), PowScalar{2})
Tensor pow(const Scalar& self, const Tensor& exponent) { return run(PowNumber{self}, exponent); }

}  // namespace taper
