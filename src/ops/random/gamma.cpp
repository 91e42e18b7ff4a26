#include "ops/random/gamma.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/forms.h"
#include "ops/kernel/reference.h"
#include "ops/random/implicit_gradient.h"
#include "taper/core/factory.h"
#include "taper/core/finfo.h"
#include "taper/ops/gamma.h"

namespace taper {
namespace {

/// Calls draw(values of the inputs) for each element in row-major order and stores the results.
template <std::size_t N, class F> void draw_each(const KernelArgs& k, F draw) {
  std::array<const View*, N + 1> views;
  for (std::size_t i = 0; i < N; ++i) views[i] = &k.in[i];
  views[N] = &k.out[0];
  kernel::walk(*k.out[0].shape, views, [&](const std::array<std::int64_t, N + 1>& at) {
    std::array<double, N> x;
    for (std::size_t i = 0; i < N; ++i)
      x[i] = kernel::load<double>(views[i]->data + at[i], views[i]->dtype);
    kernel::store(k.out[0].data + at[N], k.out[0].dtype, draw(x));
  });
}

void check_shape_parameter(const char* op, double alpha) {
  if (!(alpha > 0))
    fail<ValueError>("{}: concentration must be positive: got {}", op, python_repr(alpha));
}

/// Throws ValueError unless all elements of the first input are positive.
void check_shape_parameters(const char* op, const View& in) {
  kernel::walk(*in.shape, std::array<const View*, 1>{&in},
               [&](const std::array<std::int64_t, 1>& at) {
                 check_shape_parameter(op, kernel::load<double>(in.data + at[0], in.dtype));
               });
}

}  // namespace

void StandardGamma::backward(BackwardContext<StandardGamma>& b) const {
  if (!b.needs_input_grad(0)) return;
  b[0] = b.grad() * run(StandardGammaGrad{}, b.input<0>(), b.output<0>());
}
void StandardGammaGrad::infer(ShapeInference& i) const {
  i.check_same_shape(0, 1);
  infer_like_input(i);
}
void SampleDirichlet::infer(ShapeInference& i) const {
  if (i.rank(0) == 0)
    i.fail("`concentration` parameter must be at least one-dimensional: got shape {}", i.shape(0));
  infer_like_input(i);
}
void SampleDirichlet::backward(BackwardContext<SampleDirichlet>& b) const {
  if (!b.needs_input_grad(0)) return;
  const Tensor &alpha = b.input<0>(), &x = b.output<0>();
  const Tensor total = alpha.sum({-1}, true).expand_as(alpha);
  b[0] = run(DirichletGrad{}, x, alpha, total) * (b.grad() - (x * b.grad()).sum({-1}, true));
}
void DirichletGrad::infer(ShapeInference& i) const {
  i.check_same_shape(0, 1);
  i.check_same_shape(0, 2);
  infer_like_input(i);
}
void Binomial::infer(ShapeInference& i) const {
  i.check_same_shape(0, 1);
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>("expected count and prob of the same dtype, got {} and {}", i.dtype(0),
                       i.dtype(1));
  infer_like_input(i);
}
void Binomial::backward(BackwardContextBase& b) const {
  for (int i = 0; i < 2; ++i) {
    const TensorMeta& m = b.input_meta(i);
    if (b.needs_input_grad(i)) b[i] = zeros(m.shape, {.dtype = m.dtype, .device = m.device});
  }
}

template <> void reference_kernel(const StandardGamma& o, const KernelArgs& k) {
  check_shape_parameters("_standard_gamma", k.in[0]);
  // A sample that underflows is the smallest normal number, whose logarithm is finite.
  const double tiny = finfo(k.out[0].dtype).tiny;
  const random::GeneratorLock from(o.generator);
  draw_each<1>(
      k, [&](const auto& x) { return std::max(tiny, random::standard_gamma(from.engine, x[0])); });
}
template <> void reference_kernel(const StandardGammaGrad&, const KernelArgs& k) {
  draw_each<2>(k, [](const auto& x) { return random::gamma_gradient(x[0], x[1]); });
}
template <> void reference_kernel(const SampleDirichlet& o, const KernelArgs& k) {
  const View& out = k.out[0];
  if (out.numel == 0) return;
  check_shape_parameters("_sample_dirichlet", k.in[0]);
  std::vector<double> gammas;
  gammas.reserve(static_cast<std::size_t>(out.numel));
  {
    const random::GeneratorLock from(o.generator);
    kernel::walk(*out.shape, std::array<const View*, 1>{&k.in[0]},
                 [&](const std::array<std::int64_t, 1>& at) {
                   gammas.push_back(random::standard_gamma(
                       from.engine, kernel::load<double>(k.in[0].data + at[0], k.in[0].dtype)));
                 });
  }
  const auto n = static_cast<std::size_t>(out.shape->back());
  const bool single = out.dtype == DType::f32;
  const double smallest = finfo(out.dtype).tiny;
  const double largest = single ? double{std::nextafter(1.0f, 0.0f)} : std::nextafter(1.0, 0.0);
  std::size_t i = 0;
  double sum = 0;
  kernel::walk(*out.shape, std::array<const View*, 1>{&out},
               [&](const std::array<std::int64_t, 1>& at) {
                 if (i % n == 0) {
                   sum = 0;
                   for (std::size_t j = i; j < i + n; ++j) sum += gammas[j];
                 }
                 const double ratio = gammas[i++] / sum;
                 kernel::store(out.data + at[0], out.dtype, std::clamp(ratio, smallest, largest));
               });
}
template <> void reference_kernel(const DirichletGrad&, const KernelArgs& k) {
  draw_each<3>(k, [](const auto& x) { return random::beta_gradient(x[0], x[1], x[2] - x[1]); });
}
template <> void reference_kernel(const Binomial& o, const KernelArgs& k) {
  draw_each<2>(k, [](const auto& x) {
    if (!(x[0] >= 0) || x[0] >= 0x1p53)
      fail<ValueError>("binomial: count must be a non-negative integer: got {}", python_repr(x[0]));
    if (!(x[1] >= 0 && x[1] <= 1))
      fail<ValueError>("binomial: prob must be in [0, 1]: got {}", python_repr(x[1]));
    return 0.0;
  });
  const random::GeneratorLock from(o.generator);
  draw_each<2>(k, [&](const auto& x) { return random::binomial(from.engine, x[0], x[1]); });
}

TAPER_DEFINE_OP(_standard_gamma, StandardGamma);
TAPER_DEFINE_OP(_standard_gamma_grad, StandardGammaGrad);
TAPER_DEFINE_OP(_sample_dirichlet, SampleDirichlet);
TAPER_DEFINE_OP(_dirichlet_grad, DirichletGrad);
TAPER_DEFINE_OP(binomial, Binomial);

Tensor standard_gamma(const Tensor& input, const Generator& generator) {
  return run(StandardGamma{generator}, input);
}
Tensor sample_dirichlet(const Tensor& input, const Generator& generator) {
  return run(SampleDirichlet{generator}, input);
}
Tensor binomial(const Tensor& count, const Tensor& prob, const Generator& generator) {
  return run(Binomial{generator}, count, prob);
}

}  // namespace taper
