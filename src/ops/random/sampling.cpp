#include "ops/random/sampling.h"

#include <cmath>

#include "ops/forms.h"
#include "ops/kernel/element.h"

namespace taper {
namespace {

void check_weights(const std::byte* weights, DType dtype, std::int64_t rows, std::int64_t n) {
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double w = kernel::load<double>(weights, dtype);
      weights += size_of(dtype);
      if (!(w >= 0) || std::isinf(w))
        fail<ValueError>(
            "multinomial: probability tensor contains either `inf`, `nan` or element < 0: got {}",
            python_repr(w));
      sum += w;
    }
    if (sum <= 0)
      fail<ValueError>(
          "multinomial: invalid multinomial distribution (sum of probabilities <= 0): row {}", row);
  }
}

}  // namespace

void MultinomialOp::dtype_error(const ShapeInference& i) {
  fail<DTypeError>("multinomial only supports floating-point dtypes for input, got: {}", i.common);
}
void MultinomialOp::infer(ShapeInference& i) const {
  const Shape& shape = i.shape(0);
  if (shape.size() != 1 && shape.size() != 2)
    fail<ShapeError>("multinomial: prob_dist must be 1 or 2 dim: got shape {}", shape);
  if (num_samples <= 0)
    fail<ValueError>("multinomial: cannot sample n_sample <= 0 samples: got {}", num_samples);
  if (!replacement && num_samples > shape.back())
    fail<ValueError>(
        "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement: got "
        "{} samples of shape {}",
        num_samples, shape);
  if (shape.back() == 0)
    fail<ValueError>("multinomial: input must have at least one category: got shape {}", shape);
  Shape out = shape;
  out[out.size() - 1] = num_samples;
  i.set_output(out, DType::i64);
}

template <> void reference_kernel(const Poisson& o, const KernelArgs& k) {
  const View& out = k.out[0];
  if (out.numel == 0) return;
  FillBuffer to(out, o.logical_strides);
  const auto rates = to.gather(k.in[0]);
  for (std::size_t at = 0; at < rates.size(); at += size_of(out.dtype))
    if (const double rate = kernel::load<double>(&rates[at], out.dtype); !(rate >= 0))
      fail<ValueError>("poisson: invalid Poisson rate, expected rate to be non-negative: got {}",
                       python_repr(rate));
  {
    const random::GeneratorLock from(o.generator);
    fill_poisson(from.engine, to.target(), rates.data());
  }
  to.finish();
}

template <> void reference_kernel(const MultinomialOp& o, const KernelArgs& k) {
  const View& in = k.in[0];
  if (in.numel == 0) return;
  const std::int64_t n = in.shape->back();
  const auto weights = FillBuffer(in, {}).gather(in);
  check_weights(weights.data(), in.dtype, in.numel / n, n);
  const random::GeneratorLock from(o.generator);
  fill_multinomial(from.engine, reinterpret_cast<std::int64_t*>(k.out[0].data),
                   {.weights = weights.data(),
                    .dtype = in.dtype,
                    .rows = in.numel / n,
                    .categories = n,
                    .samples = o.num_samples,
                    .replacement = o.replacement});
}

TAPER_DEFINE_OP(poisson, Poisson);
TAPER_DEFINE_OP(multinomial, MultinomialOp);

Tensor poisson(const Tensor& input, const Generator& generator) {
  return run(Poisson{{input, generator}}, input);
}

Tensor multinomial(const Tensor& input, IntArg samples, bool replacement,
                   const Generator& generator) {
  return run(MultinomialOp{samples, replacement, generator}, input);
}

Tensor ops::RandomMethods::multinomial(IntArg samples, bool replacement,
                                       const Generator& generator) const {
  return taper::multinomial(self_of(this), samples, replacement, generator);
}

}  // namespace taper
