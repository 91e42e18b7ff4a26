// Linear regression: fits a line to noisy points by gradient descent.
#include <cmath>
#include <iostream>

#include <taper/taper.h>

using namespace taper;

int main() {
  manual_seed(0);
  const Tensor x = linspace(-1, 1, 100).unsqueeze(1);
  const Tensor y = 3 * x + 0.5 + 0.1 * randn({100, 1});

  nn::Linear line(1, 1);
  optim::SGD opt(line.parameters(), {.lr = 0.1});
  for (int step = 0; step < 200; ++step) {
    opt.zero_grad();
    F::mse_loss(line(x), y).backward();
    opt.step();
  }

  const double slope = line.weight.item<double>(), offset = line.bias->item<double>();
  std::cout << "y = " << slope << " x + " << offset << '\n';
  return std::abs(slope - 3) < 0.1 && std::abs(offset - 0.5) < 0.1 ? 0 : 1;
}
