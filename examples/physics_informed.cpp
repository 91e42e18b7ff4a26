// A physics-informed network: u(t) with u'' = -u, u(0) = 1 and u'(0) = 0, without data of the
// solution, which is cos(t).
#include <cstdio>

#include <taper/taper.h>

using namespace taper;

int main() {
  manual_seed(0);
  nn::Sequential net{nn::Linear(1, 32), nn::Tanh(), nn::Linear(32, 32), nn::Tanh(),
                     nn::Linear(32, 1)};
  optim::Adam opt(net.parameters(), {.lr = 0.01});
  const Tensor t = linspace(0, 2, 41).unsqueeze(1).requires_grad_();
  auto derivative = [](const Tensor& of, const Tensor& with) {
    return autograd::grad(of, with, {.grad_outputs = ones_like(of), .create_graph = true});
  };

  for (int step = 0; step < 400; ++step) {
    opt.zero_grad();
    const Tensor u = net(t);
    const Tensor first = derivative(u, t);
    const Tensor second = derivative(first, t);
    const Tensor equation = (second + u).square().mean();
    const Tensor start = (u[0] - 1).square() + first[0].square();
    const Tensor loss = equation + start.sum();
    loss.backward();
    opt.step();
    if (step == 0) std::printf("loss of the first step: %.3f\n", loss.item<double>());
  }

  const NoGrad guard;
  const double error = (net(t) - t.cos()).abs().max().item<double>();
  std::printf("largest error below 0.05: %s\n", error < 0.05 ? "True" : "False");
}
