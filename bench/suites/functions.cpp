// Normalization, activation functions, softmax and cross entropy, forward and backward; einsum and
// distances.
#include "../benchmark.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

/// Milliseconds of `f` and of the gradients of its input and of `parameters`.
template <class F>
double gradient_step(const Shape& shape, F f, const std::vector<Tensor>& parameters = {}) {
  const Tensor x = randn(shape).set_requires_grad(), g = randn(shape);
  return seconds_per_call([&] {
           x.set_grad({});
           for (const Tensor& t : parameters) t.set_grad({});
           f(x).backward(g);
         }) *
         1e3;
}

double layer_norm() {
  const Tensor weight = ones({1024}).set_requires_grad(), bias = zeros({1024}).set_requires_grad();
  return gradient_step(
      {4096, 1024},
      [&](const Tensor& x) { return F::layer_norm(x, {1024}, {.weight = weight, .bias = bias}); },
      {weight, bias});
}

const Shape kManyElements{4'000'000}, kLongRows{4096, 4096};

double gelu() {
  return gradient_step(kManyElements, [](const Tensor& x) { return F::gelu(x); });
}
double tanh_gelu() {
  return gradient_step(kManyElements,
                       [](const Tensor& x) { return F::gelu(x, {.approximate = "tanh"}); });
}
double silu() {
  return gradient_step(kManyElements, [](const Tensor& x) { return F::silu(x); });
}
double softmax() {
  return gradient_step(kLongRows, [](const Tensor& x) { return F::softmax(x, -1); });
}
double log_softmax() {
  return gradient_step(kLongRows, [](const Tensor& x) { return F::log_softmax(x, -1); });
}

double cross_entropy() {
  const Tensor x = randn({2048, 50257}).set_requires_grad(), target = randint(0, 50257, {2048});
  return seconds_per_call([&] {
           x.set_grad({});
           F::cross_entropy(x, target).backward();
         }) *
         1e3;
}

double attention_scores() {
  const Tensor q = randn({8, 8, 256, 64}), k = randn({8, 8, 256, 64});
  return seconds_per_call([&] { static_cast<void>(einsum("bhid,bhjd->bhij", {q, k})); }) * 1e3;
}
double distances() {
  const Tensor x = randn({2000, 64}), y = randn({2000, 64});
  return seconds_per_call([&] { static_cast<void>(cdist(x, y)); }) * 1e3;
}

Benchmark row(std::string name, double (*measure)(), std::string baseline, int rounds = 5) {
  return {.name = std::move(name) + ", forward and backward",
          .threads = 2,
          .unit = "ms",
          .measure = measure,
          .budget_ratio = 0.6,
          .baseline = std::move(baseline),
          .rounds = rounds};
}
Benchmark forward_row(std::string name, double (*measure)(), std::string baseline) {
  return {.name = std::move(name),
          .threads = 2,
          .unit = "ms",
          .measure = measure,
          .budget_ratio = 0.8,
          .baseline = std::move(baseline)};
}

}  // namespace

std::vector<Benchmark> function_suite() {
  return {
      row("layer_norm [4096, 1024]", layer_norm, "layer_norm"),
      row("gelu, 4e6 elements", gelu, "gelu"),
      row("gelu by tanh, 4e6 elements", tanh_gelu, "tanh_gelu"),
      row("silu, 4e6 elements", silu, "silu"),
      row("softmax [4096, 4096]", softmax, "softmax"),
      row("log_softmax [4096, 4096]", log_softmax, "log_softmax"),
      row("cross_entropy [2048, 50257]", cross_entropy, "cross_entropy", 3),
      forward_row("einsum bhid,bhjd->bhij, (8, 8, 256, 64)", attention_scores, "attention_scores"),
      forward_row("cdist 2000 x 2000 x 64", distances, "distances")};
}

}  // namespace taper::bench
