#include "taper/nn/utils/memory_format.h"

#include "nn/module/memory_format.h"
#include "taper/nn/conv.h"

namespace taper::nn::utils::detail {
namespace {

template <class Conv> void convert_weights(Module& module, MemoryFormat format) {
  std::vector<Tensor> weights;
  module.for_each_module([&](Module& m) {
    if (const auto conv = m.as<Conv>()) weights.push_back(conv->weight);
  });
  for (const Tensor& w : weights) check_memory_format(w, format);
  for (const Tensor& w : weights) w.set_data(to_memory_format(w.detach(), format));
}

}  // namespace

void convert_conv2d_weights(Module& module, MemoryFormat format) {
  convert_weights<Conv2d>(module, format);
}
void convert_conv3d_weights(Module& module, MemoryFormat format) {
  convert_weights<Conv3d>(module, format);
}

}  // namespace taper::nn::utils::detail
