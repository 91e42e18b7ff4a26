#include "ops/random/continuous.h"

#include <cmath>

#include "core/number_range.h"
#include "ops/forms.h"

namespace taper {

void Uniform::infer(ShapeInference& i) const {
  infer_like_input(i);
  const DType dtype = i.dtype(0);
  const double max = number_range_of(dtype).floating_highest;
  if (!(std::abs(from) <= max))
    fail<ValueError>("uniform_: from is out of bounds for {}: got {}", dtype, from);
  if (!(std::abs(to) <= max))
    fail<ValueError>("uniform_: to is out of bounds for {}: got {}", dtype, to);
  if (!(from <= to))
    fail<ValueError>("uniform_ expects to return a [from, to) range, but found from={} > to={}",
                     from, to);
  if (!(to - from <= max))
    fail<ValueError>(
        "uniform_ expects to-from <= std::numeric_limits<{}>::max(), but found to={} and from={} "
        "which result in to-from to exceed the limit",
        names_of(dtype).scalar, to, from);
}

void Normal::infer(ShapeInference& i) const {
  infer_like_input(i);
  if (!(std >= 0)) fail<ValueError>("normal expects std >= 0.0, but found std {}", std);
}

void LogNormal::infer(ShapeInference& i) const {
  infer_like_input(i);
  if (!(std > 0)) fail<ValueError>("log_normal_ expects std > 0.0, but found std={}", std);
}

void Exponential::infer(ShapeInference& i) const {
  infer_like_input(i);
  if (!(lambd > 0))
    fail<ValueError>("exponential_ expects lambda > 0.0, but found lambda={}", lambd);
}

void Cauchy::infer(ShapeInference& i) const {
  infer_like_input(i);
  if (!(sigma > 0)) fail<ValueError>("cauchy_ expects sigma > 0.0, but found sigma={}", sigma);
}

void TruncNormal::infer(ShapeInference& i) const {
  infer_like_input(i);
  if (!(std > 0)) fail<ValueError>("trunc_normal_: got std {}, expected std > 0", std);
  if (!(a < b)) fail<ValueError>("trunc_normal_: got bounds a={}, b={}, expected a < b", a, b);
}

template <> void reference_kernel(const Uniform& o, const KernelArgs& k) {
  o.fill(k.out[0], [&](auto& engine, auto out) { fill_uniform(engine, out, o.from, o.to); });
}
template <> void reference_kernel(const Normal& o, const KernelArgs& k) {
  o.fill(k.out[0], [&](auto& engine, auto out) {
    if (o.logical_strides.empty())
      fill_normal(engine, out, o.mean, o.std);
    else
      fill_normal_serial(engine, out, o.mean, o.std);
  });
}
template <> void reference_kernel(const LogNormal& o, const KernelArgs& k) {
  o.fill(k.out[0], [&](auto& engine, auto out) { fill_log_normal(engine, out, o.mean, o.std); });
}
template <> void reference_kernel(const Exponential& o, const KernelArgs& k) {
  o.fill(k.out[0], [&](auto& engine, auto out) { fill_exponential(engine, out, o.lambd); });
}
template <> void reference_kernel(const Cauchy& o, const KernelArgs& k) {
  o.fill(k.out[0], [&](auto& engine, auto out) { fill_cauchy(engine, out, o.median, o.sigma); });
}
template <> void reference_kernel(const TruncNormal& o, const KernelArgs& k) {
  o.fill(k.out[0],
         [&](auto& engine, auto out) { fill_trunc_normal(engine, out, o.mean, o.std, o.a, o.b); });
}

TAPER_DEFINE_OP(uniform, Uniform);
TAPER_DEFINE_OP(normal, Normal);
TAPER_DEFINE_OP(log_normal, LogNormal);
TAPER_DEFINE_OP(exponential, Exponential);
TAPER_DEFINE_OP(cauchy, Cauchy);
TAPER_DEFINE_OP(trunc_normal, TruncNormal);

namespace ops {
const Tensor& RandomMethods::uniform_(double from, double to, const Generator& generator) const {
  return run_inplace(Uniform{{self_of(this), generator}, from, to}, self_of(this));
}
const Tensor& RandomMethods::normal_(double mean, double std, const Generator& generator) const {
  return run_inplace(Normal{{self_of(this), generator}, mean, std}, self_of(this));
}
const Tensor& RandomMethods::log_normal_(double mean, double std,
                                         const Generator& generator) const {
  return run_inplace(LogNormal{{self_of(this), generator}, mean, std}, self_of(this));
}
const Tensor& RandomMethods::exponential_(double lambd, const Generator& generator) const {
  return run_inplace(Exponential{{self_of(this), generator}, lambd}, self_of(this));
}
const Tensor& RandomMethods::cauchy_(double median, double sigma,
                                     const Generator& generator) const {
  return run_inplace(Cauchy{{self_of(this), generator}, median, sigma}, self_of(this));
}
const Tensor& RandomMethods::trunc_normal_(double mean, double std, double a, double b,
                                           const Generator& generator) const {
  return run_inplace(TruncNormal{{self_of(this), generator}, mean, std, a, b}, self_of(this));
}
}  // namespace ops

}  // namespace taper
