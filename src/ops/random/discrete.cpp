#include "ops/random/discrete.h"

#include <algorithm>
#include <limits>
#include <string>

#include "ops/forms.h"
#include "ops/kernel/element.h"
#include "ops/random/mask.h"
#include "taper/autograd/grad_mode.h"

namespace taper {
namespace {

using random::max_exact_integer;

/// Returns the minimum and the maximum of the integers that an element of dtype `t` can store,
/// limited to the range of int64.
std::pair<std::int64_t, std::int64_t> integer_bounds(DType t) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (t == DType::f16) return {-65504, 65504};
  if (is_floating_point(t)) return {-kMax - 1, kMax};
  if (t == DType::u8 || t == DType::bool_ || is_barebones_unsigned(t))
    return {0, max_exact_integer(t)};
  return {-max_exact_integer(t) - 1, max_exact_integer(t)};
}

void check_probabilities(const std::vector<std::byte>& elements, const View& v) {
  for (std::size_t at = 0; at < elements.size(); at += size_of(v.dtype))
    if (const double p = kernel::load<double>(&elements[at], v.dtype); !(p >= 0 && p <= 1))
      fail<ValueError>("bernoulli: expects probabilities in [0, 1]: got {}", python_repr(p));
}

}  // namespace

void Random::infer(ShapeInference& i) const {
  const DType t = i.dtype(0);
  if (const std::int64_t low = from.value_or(0); to && low >= *to)
    fail<ValueError>("random_ expects 'from' to be less than 'to', but got from={} >= to={}", low,
                     *to);
  if (is_barebones_unsigned(t) && !to)
    fail<NotImplementedError>("random_: not implemented for '{}' without the argument 'to'",
                              names_of(t).scalar);
  const auto [min, max] = integer_bounds(t);
  if (from && (*from < min || *from > max))
    fail<ValueError>("random_: from is out of bounds for {}: got {}", t, *from);
  if (to && (*to <= min || *to - 1 > max))
    fail<ValueError>("random_: to - 1 is out of bounds for {}: got to={}", t, *to);
  i.set_output(i.shape(0), t);
}

void Bernoulli::infer(ShapeInference& i) const {
  if (i.has(1))
    check_floating_point(i, 1);
  else if (!(p >= 0 && p <= 1))
    fail<ValueError>("bernoulli_ expects p to be in [0, 1], but got p={}", p);
  i.set_broadcast_output();
}

void Geometric::dtype_error(const ShapeInference& i) {
  fail<DTypeError>("geometric_: not implemented for this element type: got {}, expected a number",
                   i.common);
}
void Geometric::infer(ShapeInference& i) const {
  if (!(p > 0 && p < 1)) fail<ValueError>("geometric_ expects p to be in (0, 1), but got p={}", p);
  i.set_output(i.shape(0), i.dtype(0));
}

template <> void reference_kernel(const Random& o, const KernelArgs& k) {
  o.fill(k.out[0], [&](auto& engine, auto out) {
    if (!o.from && !o.to) return fill_integers(engine, out);
    const std::int64_t low = o.from.value_or(0);
    const auto end = o.to ? static_cast<std::uint64_t>(*o.to)
                          : static_cast<std::uint64_t>(max_exact_integer(out.dtype)) + 1;
    fill_integers(engine, out, low, end - static_cast<std::uint64_t>(low));
  });
}

template <> void reference_kernel(const Bernoulli& o, const KernelArgs& k) {
  if (!k.has(1))
    return o.fill(k.out[0], [&](auto& engine, auto out) { fill_bernoulli(engine, out, o.p); });
  if (k.out[0].numel == 0) return;
  FillBuffer to(k.out[0], o.logical_strides);
  const auto elements = to.gather(k.in[1]);
  check_probabilities(elements, k.in[1]);
  {
    const random::GeneratorLock from(o.generator);
    fill_bernoulli(from.engine, to.target(), elements.data(), k.in[1].dtype);
  }
  to.finish();
}

template <> void reference_kernel(const Geometric& o, const KernelArgs& k) {
  o.fill(k.out[0], [&](auto& engine, auto out) { fill_geometric(engine, out, o.p); });
}

TAPER_DEFINE_OP(random, Random);
TAPER_DEFINE_OP(bernoulli, Bernoulli);
TAPER_DEFINE_OP(geometric, Geometric);

namespace ops {
const Tensor& RandomMethods::random_(const Generator& generator) const {
  return run_inplace(Random{{self_of(this), generator}}, self_of(this));
}
const Tensor& RandomMethods::random_(std::int64_t to, const Generator& generator) const {
  return random_(0, to, generator);
}
const Tensor& RandomMethods::random_(std::int64_t from, std::optional<std::int64_t> to,
                                     const Generator& generator) const {
  return run_inplace(Random{{self_of(this), generator}, from, to}, self_of(this));
}
const Tensor& RandomMethods::bernoulli_(FloatArg p, const Generator& generator) const {
  return run_inplace(Bernoulli{{self_of(this), generator}, p}, self_of(this));
}
const Tensor& RandomMethods::bernoulli_(const Tensor& p, const Generator& generator) const {
  return run_inplace(Bernoulli{{self_of(this), generator}}, self_of(this), p);
}
const Tensor& RandomMethods::geometric_(FloatArg p, const Generator& generator) const {
  return run_inplace(Geometric{{self_of(this), generator}, p}, self_of(this));
}
Tensor RandomMethods::bernoulli(const Generator& generator) const {
  return taper::bernoulli(self_of(this), generator);
}
}  // namespace ops

Tensor make_keep_mask(const Tensor& like, double keep_probability, const Generator& generator) {
  const NoGrad guard;
  return run_inplace(Bernoulli{{like, generator}, keep_probability},
                     new_tensor(like.shape(), DType::bool_, like.device()));
}

Tensor bernoulli(const Tensor& input, const Generator& generator) {
  return run(Bernoulli{{input, generator}}, input, input);
}
Tensor bernoulli(const Tensor& input, FloatArg p, const Generator& generator) {
  return run(Bernoulli{{input, generator}, p}, input);
}

}  // namespace taper
