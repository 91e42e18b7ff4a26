// A number of layers that is determined at run time. A std::vector<nn::Linear> as a listed member
// does not compile: "TAPER_MODULE lists a member that is not a Parameter, Buffer or module: ... put
// several modules into nn::ModuleList".
// examples/python/layers_in_a_list.py prints the same output.
#include <cstdint>
#include <iostream>

#include <taper/taper.h>

using namespace taper;

struct Net : nn::Module {
  nn::ModuleList linears;
  TAPER_MODULE(Net, linears)

  Net() {
    for (int i = 0; i < 10; ++i) linears.append(nn::Linear(10, 10));
  }
  Tensor forward(Tensor x) const {
    for (std::int64_t i = 0; i < 10; ++i) x = linears[i / 2](x) + linears[i](x);
    return x;
  }
};

int main() {
  manual_seed(0);
  Net net;
  std::cout << net << '\n';
  std::int64_t count = 0;
  for (const Tensor& p : net.parameters()) count += p.numel();
  std::cout << count << " parameters\n" << net(ones({1, 10})).detach() << '\n';
}
