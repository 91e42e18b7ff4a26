// A physics-informed network: learns u(t) on [0, 2] from u'' = -u, u(0) = 1 and u'(0) = 0. The
// solution is cos(t), of which training uses no values.
// examples/python/physics_informed.py prints the same output.
#include <cstdio>

#include <taper/taper.h>

using namespace taper;

// Returns the derivative of each element of `of` by the element of `by` from which it is computed.
Tensor derivative(const Tensor& of, const Tensor& by) {
  // The result is a Tensor and not a list, because both arguments are tensors.
  return autograd::grad(of, by, {.grad_outputs = ones_like(of), .create_graph = true});
}

int main() {
  manual_seed(0);
  nn::Sequential net{nn::Linear(1, 32), nn::Tanh(), nn::Linear(32, 32), nn::Tanh(),
                     nn::Linear(32, 1)};
  optim::Adam opt(net.parameters(), {.lr = 0.01});
  const Tensor t = linspace(0, 2, 41).unsqueeze(1).requires_grad_();

  for (int step = 0; step < 400; ++step) {
    opt.zero_grad();
    const Tensor u = net(t);
    const Tensor first = derivative(u, t);
    const Tensor second = derivative(first, t);
    const Tensor equation = (second + u).square().mean();  // u'' = -u
    const Tensor value = (u[{0, 0}] - 1).square();         // u(0) = 1
    const Tensor slope = first[{0, 0}].square();           // u'(0) = 0
    const Tensor loss = equation + value + slope;
    loss.backward();
    opt.step();
    if (step == 0) std::printf("loss of the first step: %.3f\n", loss.item<double>());
  }

  const NoGrad no_grad;
  const double error = (net(t) - t.cos()).abs().max().item<double>();
  std::printf("largest error below 0.05: %s\n", error < 0.05 ? "True" : "False");
}
