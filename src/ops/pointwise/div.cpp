#include "ops/pointwise/div.h"

#include <cmath>

#include "ops/kernel/reference.h"
#include "ops/pointwise/floor_div.h"

namespace taper {
namespace {

/// Before the first element is written: the op may work in place.
void refuse_zeros(const KernelArgs& k) {
  const View& v = k.in[1];
  kernel::walk(*v.shape, std::array<const View*, 1>{&v},
               [&](const std::array<std::int64_t, 1>& at) {
                 if (kernel::load<std::int64_t>(v.data + at[0], v.dtype) == 0)
                   fail<RuntimeError>("div: ZeroDivisionError: an integer was divided by 0");
               });
}

}  // namespace

void Div::backward(BackwardContext<Div>& b) const {
  const Tensor other = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = b.grad() / other;
  if (b.needs_input_grad(1)) b[1] = -b.grad() * ((b.input<0>() / other) / other);
}
void DivMode::infer(Infer& i) const {
  if (rounding_mode != "trunc" && rounding_mode != "floor")
    i.fail<ValueError>(
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'",
        rounding_mode);
  check_dtype(i, i.common != DType::bool_, "numbers");
  i.give_pointwise();
}
void DivMode::backward(BackwardContext<DivMode>& b) const {
  if (b.needs_input_grad(0)) b[0] = no_influence(b, 0);
  if (b.needs_input_grad(1)) b[1] = no_influence(b, 1);
}

template <> void reference(const Div&, const KernelArgs& k) {
  kernel::map<2>(k,
                 []<class T>(T a, T b) { return static_cast<double>(a) / static_cast<double>(b); });
}
template <> void reference(const DivMode& o, const KernelArgs& k) {
  const bool floor = o.rounding_mode == "floor";
  if (!is_floating_point(k.compute)) refuse_zeros(k);
  kernel::map<2>(k, [floor]<class T>(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == -1) return kernel::minus(T{0}, a);  // the least integer has no negative
      const T q = a / b;
      return floor && a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
    } else {
      return floor ? kernel::floor_div(a, b) : std::trunc(a / b);
    }
  });
}

TAPER_DEFINE_OP(div, Div);
TAPER_DEFINE_OP(div_mode, DivMode);

TAPER_BINARY_METHODS(div, Div, Tensor)
TAPER_BINARY_METHODS(div, Div, Scalar)

#define TAPER_MODE_METHODS(T)                                                                  \
  Tensor div(const Tensor& x, const T& other, std::string_view rounding_mode) {                \
    return run(DivMode{std::string(rounding_mode)}, x, other);                                 \
  }                                                                                            \
  namespace ops {                                                                              \
  Tensor PointwiseMethods::div(const T& other, std::string_view rounding_mode) const {         \
    return run(DivMode{std::string(rounding_mode)}, self_of(this), other);                     \
  }                                                                                            \
  const Tensor& PointwiseMethods::div_(const T& other, std::string_view rounding_mode) const { \
    return run_inplace(DivMode{std::string(rounding_mode)}, self_of(this), other);             \
  }                                                                                            \
  }
TAPER_MODE_METHODS(Tensor)
TAPER_MODE_METHODS(Scalar)
#undef TAPER_MODE_METHODS

Tensor operator/(const Tensor& a, const Tensor& b) { return run(Div{}, a, b); }
Tensor operator/(const Tensor& a, const Scalar& b) { return run(Div{}, a, b); }
Tensor operator/(const Scalar& a, const Tensor& b) { return b.reciprocal() * a; }
const Tensor& operator/=(const Tensor& a, const Tensor& b) { return run_inplace(Div{}, a, b); }
const Tensor& operator/=(const Tensor& a, const Scalar& b) { return run_inplace(Div{}, a, b); }

}  // namespace taper
