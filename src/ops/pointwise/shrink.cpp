#include "ops/pointwise/shrink.h"

#include "ops/kernel/reference.h"

namespace taper {

template <bool Soft> void Shrink<Soft>::infer(Infer& i) const {
  check_dtype(i, is_floating_point(i.common), "a floating-point tensor");
  if (Soft && !(lambd.to_double() >= 0))
    i.fail<ValueError>("lambd must be at least 0, but found {}", lambd.str());
  i.give_pointwise();
}
template <bool Soft> void Shrink<Soft>::backward(BackwardContext<Shrink>& b) const {
  b[0] = run(ShrinkBackward<Soft>{lambd}, b.grad(), b.template input<0>());
}
template <bool Soft> void ShrinkBackward<Soft>::backward(BackwardContext<ShrinkBackward>& b) const {
  if (b.needs_input_grad(0)) b[0] = run(*this, b.grad(), b.template input<1>());
  if (b.needs_input_grad(1)) b[1] = no_influence(b, 1);
}

namespace {

// A NaN lies in no interval: it and its gradient pass.
template <bool Soft> void shrink(const Shrink<Soft>& o, const KernelArgs& k) {
  const double by = o.lambd.to_double();
  kernel::map<1>(k, [by](auto v) {
    const double x = static_cast<double>(v);
    if (!Soft) return x >= -by && x <= by ? 0 : x;
    return x > by ? x - by : x < -by ? x + by : x * 0;
  });
}
template <bool Soft> void shrink_back(const ShrinkBackward<Soft>& o, const KernelArgs& k) {
  const double by = o.lambd.to_double();
  kernel::map<2>(k, [by](auto g, auto v) {
    const double x = static_cast<double>(v);
    return x >= -by && x <= by ? 0 : static_cast<double>(g);
  });
}

}  // namespace

template <> void reference(const Shrink<true>& o, const KernelArgs& k) { shrink(o, k); }
template <> void reference(const Shrink<false>& o, const KernelArgs& k) { shrink(o, k); }
template <> void reference(const ShrinkBackward<true>& o, const KernelArgs& k) {
  shrink_back(o, k);
}
template <> void reference(const ShrinkBackward<false>& o, const KernelArgs& k) {
  shrink_back(o, k);
}

TAPER_DEFINE_OP(softshrink, Shrink<true>);
TAPER_DEFINE_OP(hardshrink, Shrink<false>);
TAPER_DEFINE_OP(softshrink_backward, ShrinkBackward<true>);
TAPER_DEFINE_OP(hardshrink_backward, ShrinkBackward<false>);

Tensor softshrink(const Tensor& x, const Scalar& lambd) { return run(Shrink<true>{lambd}, x); }
Tensor hardshrink(const Tensor& x, const Scalar& lambd) { return run(Shrink<false>{lambd}, x); }

}  // namespace taper
