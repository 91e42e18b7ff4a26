#include "ops/pointwise/relu.h"

#include "ops/kernel/reference.h"

namespace taper {
namespace {

template <class T> T number(const Scalar& s) {
  if constexpr (std::is_same_v<T, double>)
    return s.to_double();
  else
    return kernel::to_integer<T>(s.to_double());
}

}  // namespace

void Relu::infer(Infer& i) const {
  if (i.common == DType::bool_)
    i.fail<NotImplementedError>("Boolean inputs not supported for relu");
  i.give_pointwise();
}
void Threshold::infer(Infer& i) const {
  check_dtype(i, i.common != DType::bool_, "numbers");
  i.give_pointwise();
}
void LeakyRelu::infer(Infer& i) const {
  check_dtype(i, is_floating_point(i.common), "a floating-point tensor");
  i.give_pointwise();
}

// The result is positive exactly where the input was, and is kept anyway by what comes next.
void Relu::backward(BackwardContext<Relu>& b) const {
  b[0] = run(ThresholdBackward{0}, b.grad(), b.output<0>());
}
void Threshold::backward(BackwardContext<Threshold>& b) const {
  b[0] = run(ThresholdBackward{threshold}, b.grad(), b.input<0>());
}
void ThresholdBackward::backward(BackwardContext<ThresholdBackward>& b) const {
  if (b.needs_input_grad(0)) b[0] = run(*this, b.grad(), b.input<1>());
  if (b.needs_input_grad(1)) b[1] = no_influence(b, 1);
}
void LeakyRelu::backward(BackwardContext<LeakyRelu>& b) const {
  b[0] = run(LeakyReluBackward{negative_slope}, b.grad(), b.input<0>());
}
void LeakyReluBackward::backward(BackwardContext<LeakyReluBackward>& b) const {
  if (b.needs_input_grad(0)) b[0] = run(*this, b.grad(), b.input<1>());
  if (b.needs_input_grad(1)) b[1] = no_influence(b, 1);
}

template <> void reference(const Relu&, const KernelArgs& k) {
  kernel::map<1>(k, []<class T>(T x) { return x < T{0} ? T{0} : x; });
}
template <> void reference(const Threshold& o, const KernelArgs& k) {
  kernel::map<1>(
      k, [&o]<class T>(T x) { return x <= number<T>(o.threshold) ? number<T>(o.value) : x; });
}
template <> void reference(const ThresholdBackward& o, const KernelArgs& k) {
  kernel::map<2>(k, [&o]<class T>(T g, T x) { return x <= number<T>(o.threshold) ? T{0} : g; });
}
template <> void reference(const LeakyRelu& o, const KernelArgs& k) {
  const double slope = o.negative_slope.to_double();
  kernel::map<1>(k, [slope](auto x) {
    return x > 0 ? static_cast<double>(x) : slope * static_cast<double>(x);
  });
}
template <> void reference(const LeakyReluBackward& o, const KernelArgs& k) {
  const double slope = o.negative_slope.to_double();
  kernel::map<2>(k, [slope](auto g, auto x) {
    return x > 0 ? static_cast<double>(g) : slope * static_cast<double>(g);
  });
}

TAPER_DEFINE_OP(relu, Relu);
TAPER_DEFINE_OP(threshold, Threshold);
TAPER_DEFINE_OP(threshold_backward, ThresholdBackward);
TAPER_DEFINE_OP(leaky_relu, LeakyRelu);
TAPER_DEFINE_OP(leaky_relu_backward, LeakyReluBackward);

TAPER_UNARY_METHODS(relu, Relu)
Tensor threshold(const Tensor& x, const Scalar& threshold, const Scalar& value) {
  return run(Threshold{threshold, value}, x);
}
const Tensor& threshold_(const Tensor& x, const Scalar& threshold, const Scalar& value) {
  return run_inplace(Threshold{threshold, value}, x);
}
Tensor leaky_relu(const Tensor& x, const Scalar& negative_slope) {
  return run(LeakyRelu{negative_slope}, x);
}
const Tensor& leaky_relu_(const Tensor& x, const Scalar& negative_slope) {
  return run_inplace(LeakyRelu{negative_slope}, x);
}

}  // namespace taper
