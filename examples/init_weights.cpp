// Initializes weights with `apply`, which visits all modules, children first.
// examples/python/init_weights.py prints the same output.
#include <iostream>

#include <taper/taper.h>

using namespace taper;

void init_weights(nn::Module& m) {
  const NoGrad no_grad;
  std::cout << m << '\n';
  if (const auto linear = m.as<nn::Linear>()) {
    linear->weight.fill_(1.0);
    std::cout << linear->weight << '\n';
  }
}

int main() {
  nn::Sequential net{nn::Linear(2, 2), nn::Linear(2, 2)};
  net.apply(init_weights);
}
