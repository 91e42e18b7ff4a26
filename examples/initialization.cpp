// Initial values of parameters: a function for each class of layer, applied to all modules of a
// network.
// examples/python/initialization.py prints the same output.
#include <iostream>

#include <taper/taper.h>

using namespace taper;

namespace {

void initialize(nn::Module& module) {
  if (const auto conv = module.as<nn::Conv2d>()) {
    nn::init::kaiming_normal_(conv->weight, 0, "fan_out", "relu");
    nn::init::zeros_(*conv->bias);
  } else if (const auto norm = module.as<nn::BatchNorm2d>()) {
    nn::init::constant_(*norm->weight, 0.5);
    nn::init::zeros_(*norm->bias);
  } else if (const auto linear = module.as<nn::Linear>()) {
    nn::init::xavier_uniform_(linear->weight, nn::init::calculate_gain("tanh"));
    nn::init::zeros_(*linear->bias);
  }
}

}  // namespace

int main() {
  manual_seed(0);
  nn::Sequential net{nn::Conv2d(1, 2, 2), nn::BatchNorm2d(2), nn::Flatten(), nn::Linear(4, 2)};
  net.apply(initialize);
  for (const auto& [name, parameter] : net.named_parameters())
    std::cout << name << '\n' << parameter.detach() << '\n';

  const Tensor table = empty({4, 3});
  nn::init::trunc_normal_(table, 0, 0.02, -0.04, 0.04);
  nn::init::orthogonal_(table);
  std::cout << (allclose(table.t().matmul(table), eye(3), 1e-5, 1e-6) ? "True" : "False") << '\n';
  nn::init::uniform_(table, -0.1, 0.1, Generator(7));
  std::cout << table << '\n';
}
