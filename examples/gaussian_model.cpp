// Modules that are not layers: normal distributions, fitted by their negative log-density. Their
// parameters are registered dynamically.
// examples/python/gaussian_model.py prints the same output.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numbers>

#include <taper/distributions/distributions.h>
#include <taper/taper.h>

using namespace taper;

struct GaussianModel : nn::Module {
  TAPER_MODULE(GaussianModel)
  nn::Parameter &mean, &log_std;
  GaussianModel()
      : mean(register_parameter("mean", nn::Parameter(zeros({1})))),
        log_std(register_parameter("log_std", nn::Parameter(zeros({1})))) {}

  Tensor log_density(const Tensor& x) const {
    const Tensor z = (x - mean) / log_std.exp();
    return -0.5 * z * z - log_std - 0.5 * std::log(2 * std::numbers::pi);
  }
  Tensor forward(const Tensor& x) const { return -log_density(x).mean(); }
};

/// The same with taper::distributions, for a fixed deviation.
struct NormalModel : nn::Module {
  TAPER_MODULE(NormalModel)
  nn::Parameter& mean;
  distributions::Normal pdf;
  NormalModel()
      : mean(register_parameter("mean", nn::Parameter(zeros({1})))), pdf(mean, tensor({3.0f})) {}

  Tensor forward(const Tensor& x) const { return -pdf.log_prob(x); }
};

void fit_mean(const Tensor& x) {
  NormalModel model;
  std::cout << model.pdf << '\n' << model(x[Slice{.stop = 3}]) << '\n';
  optim::SGD opt(model.parameters(), {.lr = 1});
  for (int step = 0; step < 100; ++step) {
    opt.zero_grad();
    const Tensor loss = model(x).mean();
    loss.backward();
    opt.step();
    if (step == 0) std::cout << loss.grad_fn().name() << ' ' << model.mean.grad() << '\n';
  }
  std::printf("mean %.3f, deviation %.3f\n", model.pdf.mean().item<double>(),
              model.pdf.stddev().item<double>());
}

int main() {
  manual_seed(0);
  const Tensor x = randn({1000}) * 3 + 5;
  GaussianModel model;
  optim::SGD opt(model.parameters(), {.lr = 0.5});
  for (int step = 0; step <= 200; ++step) {
    opt.zero_grad();
    const Tensor loss = model(x);
    loss.backward();
    opt.step();
    if (step % 50 == 0)
      std::printf("step %d: negative log-density %.4f\n", step, loss.item<double>());
  }
  for (const auto& [name, p] : model.named_parameters()) std::cout << name << ' ' << p << '\n';
  std::printf("mean %.3f, deviation %.3f\n", model.mean.item<double>(),
              model.log_std.exp().item<double>());
  std::printf("of the data: %.3f, %.3f\n", x.mean().item<double>(), x.std().item<double>());
  fit_mean(x);
}
