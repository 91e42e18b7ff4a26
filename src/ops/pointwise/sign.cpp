#include "ops/pointwise/sign.h"

#include <cmath>

#include "ops/kernel/reference.h"

namespace taper {

void Neg::infer(Infer& i) const {
  if (i.common == DType::bool_)
    i.fail<NotImplementedError>(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead.");
  i.give_pointwise();
}
void Abs::infer(Infer& i) const {
  check_dtype(i, i.common != DType::bool_, "numbers");
  i.give_pointwise();
}

template <> void reference(const Neg&, const KernelArgs& k) {
  kernel::map<1>(
      k, []<class T>(T x) { return std::is_same_v<T, double> ? -x : kernel::minus(T{0}, x); });
}
template <> void reference(const Abs&, const KernelArgs& k) {
  kernel::map<1>(k, []<class T>(T x) {
    if constexpr (std::is_same_v<T, double>)
      return std::abs(x);
    else
      return x < 0 ? kernel::minus(T{0}, x) : x;
  });
}
template <> void reference(const Sign&, const KernelArgs& k) {
  kernel::map<1>(k, []<class T>(T x) { return static_cast<T>((x > 0) - (x < 0)); });
}

TAPER_DEFINE_OP(neg, Neg);
TAPER_DEFINE_OP(abs, Abs);
TAPER_DEFINE_OP(sign, Sign);

TAPER_UNARY_METHODS(neg, Neg)
TAPER_UNARY_METHODS(abs, Abs)
TAPER_UNARY_METHODS(sign, Sign)
Tensor operator-(const Tensor& a) { return run(Neg{}, a); }

}  // namespace taper
