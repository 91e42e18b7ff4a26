// A module that is not a layer: a normal distribution, fitted by its negative log-density. Its
// parameters are registered dynamically.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numbers>

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
  std::fflush(stdout);
  for (const auto& [name, p] : model.named_parameters()) std::cout << name << ' ' << p << std::endl;
  std::printf("mean %.3f, deviation %.3f\n", model.mean.item<double>(),
              model.log_std.exp().item<double>());
  std::printf("of the data: %.3f, %.3f\n", x.mean().item<double>(), x.std().item<double>());
}
