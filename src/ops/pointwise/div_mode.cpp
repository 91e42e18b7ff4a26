#include "ops/pointwise/div_mode.h"

#include <cmath>

#include "ops/kernel/reference.h"
#include "ops/pointwise/elements.h"

namespace taper {
namespace {

/// Throws RuntimeError if an integer divisor is 0. Called before the first element is written,
/// because the op may work in place.
void reject_zeros(const KernelArgs& k) {
  const View& v = k.in[1];
  kernel::walk(*v.shape, std::array<const View*, 1>{&v},
               [&](const std::array<std::int64_t, 1>& at) {
                 if (kernel::load<std::int64_t>(v.data + at[0], v.dtype) == 0)
                   fail<RuntimeError>("div: ZeroDivisionError: an integer was divided by 0");
               });
}

}  // namespace

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
  if (!is_floating_point(k.compute)) reject_zeros(k);
  kernel::map<2>(k, [floor]<class T>(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == -1) return kernel::minus(T{0}, a);  // the smallest integer cannot be negated
      const T q = a / b;
      return floor && a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
    } else {
      return floor ? kernel::floor_div(a, b) : std::trunc(a / b);
    }
  });
}

TAPER_DEFINE_OP(div_mode, DivMode);

TAPER_ALL_FORMS(Pointwise, div, (const Tensor& other, std::string_view rounding_mode),
                DivMode{std::string(rounding_mode)}, other)
TAPER_ALL_FORMS(Pointwise, div, (const Scalar& other, std::string_view rounding_mode),
                DivMode{std::string(rounding_mode)}, other)

}  // namespace taper
