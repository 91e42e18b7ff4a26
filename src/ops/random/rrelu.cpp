#include "ops/random/rrelu.h"

#include "ops/kernel/reference.h"
#include "ops/pointwise/activations.h"
#include "taper/autograd/grad_mode.h"
#include "taper/ops/rrelu.h"

namespace taper {
namespace {

void check_bounds(double lower, double upper) {
  if (!(lower <= upper))
    fail<ValueError>(
        "rrelu: Lower bound should be less than or equal to the upper bound: got {} and {}", lower,
        upper);
}

/// Returns the random factors of the input. If `o.training` is false, returns a placeholder that is
/// not read.
Tensor make_noise(const Tensor& input, const RreluWithNoise& o, const Generator& generator) {
  if (!o.training) return input.detach();
  const NoGrad guard;
  return run(RreluNoise{{input, generator}, o.lower, o.upper}, input);
}

}  // namespace

void RreluNoise::infer(ShapeInference& i) const {
  check_bounds(lower, upper);
  infer_like_input(i);
}
void RreluWithNoise::infer(ShapeInference& i) const {
  check_bounds(lower, upper);
  for (const double bound : {lower, upper}) i.check_range(bound, opmath_dtype(i.common));
  i.set_broadcast_output();
}
void RreluWithNoise::backward(BackwardContext<RreluWithNoise>& b) const {
  if (training) {
    if (b.needs_input_grad(0)) b[0] = b.grad() * b.input<1>();
    if (b.needs_input_grad(1)) b[1] = b.grad() * b.input<0>();
  } else {
    if (b.needs_input_grad(0)) b[0] = run(LeakyReluBackward{slope()}, b.grad(), b.input<0>());
    if (b.needs_input_grad(1)) b[1] = zero_grad_for(b, 1);
  }
}

template <> void reference_kernel(const RreluNoise& o, const KernelArgs& k) {
  if (k.out[0].numel == 0) return;
  FillBuffer to(k.out[0], o.logical_strides);
  const auto elements = to.gather(k.in[0]);
  {
    const random::GeneratorLock from(o.generator);
    fill_rrelu_noise(from.engine, to.target(), elements.data(), o.lower, o.upper);
  }
  to.finish();
}
template <> void reference_kernel(const RreluWithNoise& o, const KernelArgs& k) {
  const double slope = o.slope();
  kernel::map<2>(k, [&o, slope](auto x, auto noise) {
    const auto v = static_cast<double>(x);
    if (o.training) return v * static_cast<double>(noise);
    return v > 0 ? v : v * slope;
  });
}

TAPER_DEFINE_OP(rrelu_noise, RreluNoise);
TAPER_DEFINE_OP(rrelu_with_noise, RreluWithNoise);

Tensor rrelu(const Tensor& input, FloatArg lower, FloatArg upper, bool training,
             const Generator& g) {
  const RreluWithNoise o{lower, upper, training};
  return run(o, input, make_noise(input, o, g));
}
const Tensor& rrelu_(const Tensor& input, const RReLUInPlaceFuncOptions& options,
                     const Generator& g) {
  const RreluWithNoise o{options.lower, options.upper, options.training};
  return run_inplace(o, input, make_noise(input, o, g));
}

}  // namespace taper
