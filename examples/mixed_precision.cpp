// The example of docs/training.md about mixed precision; examples/python/mixed_precision.py prints
// the same output.
#include <cstdio>
#include <iostream>

#include <taper/taper.h>

using namespace taper;

int main() {
  manual_seed(0);
  nn::Sequential net{nn::Linear(8, 32), nn::GELU(), nn::Linear(32, 1)};
  optim::SGD opt(net.parameters(), {.lr = 0.05});
  amp::GradScaler scaler({.init_scale = 1024, .growth_interval = 10});
  const Tensor x = randn({64, 8}), target = x.sum(1, true);

  double first = 0, last = 0;
  Tensor y, loss;
  for (int i = 0; i < 40; ++i) {
    opt.zero_grad();
    {
      const amp::Autocast guard({.dtype = float16});
      y = net(x);                     // products in float16
      loss = F::mse_loss(y, target);  // the loss in float32
    }
    scaler.scale(loss).backward();
    scaler.step(opt);  // skipped if a gradient is inf or NaN
    scaler.update();
    if (i == 0) first = loss.item<double>();
    last = loss.item<double>();
  }

  std::cout << y.dtype() << ' ' << loss.dtype() << '\n';
  std::printf("smaller: %s\n", last < 0.1 * first ? "True" : "False");
  std::printf("scale %.0f\n", scaler.get_scale());
}
