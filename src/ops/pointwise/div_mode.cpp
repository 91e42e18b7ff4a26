#include "ops/pointwise/div_mode.h"

#include <cmath>

#include "ops/pointwise/division.h"
#include "ops/pointwise/elements.h"

namespace taper {
void DivMode::infer(ShapeInference& i) const {
  if (rounding_mode != "trunc" && rounding_mode != "floor")
    i.fail<ValueError>(
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'",
        rounding_mode);
  i.set_broadcast_output();
}
void DivMode::backward(BackwardContext<DivMode>& b) const {
  if (b.needs_input_grad(0)) b[0] = zero_grad_for(b, 0);
  if (b.needs_input_grad(1)) b[1] = zero_grad_for(b, 1);
}

template <> void reference_kernel(const DivMode& o, const KernelArgs& k) {
  const bool floor = o.rounding_mode == "floor";
  reject_zero_divisors(k, "div");
  kernel::map<2>(k, [floor]<class T>(T a, T b) {
    if (floor) return kernel::floor_div(a, b);
    if constexpr (std::is_integral_v<T>)
      return kernel::quotient(a, b);
    else
      return std::trunc(a / b);
  });
}

TAPER_DEFINE_OP(div_mode, DivMode);

TAPER_ALL_FORMS(Pointwise, div, (const Tensor& other, std::string_view rounding_mode),
                DivMode{std::string(rounding_mode)}, other)
TAPER_ALL_FORMS(Pointwise, div, (const Scalar& other, std::string_view rounding_mode),
                DivMode{std::string(rounding_mode)}, other)

TAPER_FUNCTION(floor_divide, (const Tensor& other), DivMode{"floor"}, other)
TAPER_METHODS(Bitwise, floor_divide, (const Tensor& other), DivMode{"floor"}, other)
TAPER_FUNCTION(floor_divide, (const Scalar& other), DivMode{"floor"}, other)
TAPER_METHODS(Bitwise, floor_divide, (const Scalar& other), DivMode{"floor"}, other)

}  // namespace taper
