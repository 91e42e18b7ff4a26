// LeNet with 20 and 50 channels, as in Caffe and in the early tutorials of PyTorch.
#pragma once
#include "taper/nn/nn.h"

namespace lenet {

/// Classifies digits `(N, 1, 28, 28)`; returns log-probabilities `(N, num_classes)`.
struct LeNet : taper::nn::Module {
  explicit LeNet(std::int64_t num_classes = 10) : fc2(500, num_classes) {}
  taper::nn::Conv2d conv1{1, 20, 5}, conv2{20, 50, 5};
  taper::nn::Linear fc1{4 * 4 * 50, 500}, fc2;
  TAPER_MODULE(LeNet, conv1, conv2, fc1, fc2)

  taper::Tensor forward(taper::Tensor x) {
    namespace F = taper::F;
    x = F::max_pool2d(F::relu(conv1(x)), 2);
    x = F::max_pool2d(F::relu(conv2(x)), 2);
    x = F::relu(fc1(x.view({-1, 4 * 4 * 50})));
    return F::log_softmax(fc2(x), 1);
  }
};

}  // namespace lenet
