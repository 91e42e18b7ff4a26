// Residual blocks as in ResNet, with one activation module shared by all of them.
// examples/python/residual_blocks.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <utility>

#include <taper/taper.h>

using namespace taper;

using Activation = std::shared_ptr<nn::LeakyReLU>;

struct BasicBlock : nn::Module {
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  Activation activation;
  TAPER_MODULE(BasicBlock, conv1, bn1, conv2, bn2, activation)

  BasicBlock(std::int64_t channels, Activation shared)
      : conv1(channels, channels, 3, {.padding = 1, .bias = false}),
        bn1(channels),
        conv2(channels, channels, 3, {.padding = 1, .bias = false}),
        bn2(channels),
        activation(std::move(shared)) {}
  Tensor forward(const Tensor& x) const {
    const Tensor out = (*activation)(bn1(conv1(x)));
    return (*activation)(bn2(conv2(out)) + x);
  }
};

struct Net : nn::Module {
  Activation activation = std::make_shared<nn::LeakyReLU>(0.1);
  nn::Conv2d stem{3, 8, 3, {.padding = 1}};
  nn::Sequential blocks{BasicBlock(8, activation), BasicBlock(8, activation)};
  nn::Linear fc{8, 10};
  TAPER_MODULE(Net, activation, stem, blocks, fc)

  Tensor forward(const Tensor& x) const { return fc(blocks((*activation)(stem(x))).mean({2, 3})); }
};

int main() {
  manual_seed(0);
  Net net;
  std::cout << net << '\n';
  std::printf("%zu modules in %zu places\n", net.modules().size(),
              net.named_modules({.remove_duplicate = false}).size());
  std::int64_t count = 0;
  for (const Tensor& p : net.parameters()) count += p.numel();
  std::printf("%d parameters\n", static_cast<int>(count));
  const Tensor y = net(randn({2, 3, 8, 8}));
  std::cout << y.detach() << '\n';
  y.square().mean().backward();
  std::printf("gradient of the stem %.4f\n", net.stem.weight.grad().norm().item<double>());
}
