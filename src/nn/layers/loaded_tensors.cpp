#include "nn/layers/loaded_tensors.h"

#include "taper/autograd/grad_mode.h"
#include "taper/nn/module_base.h"

namespace taper::nn {

LoadedTensors::LoadedTensors(Module& layer) {
  const auto save = [&](const Tensor& t) {
    if (!is_lazy(t)) values_.emplace_back(t, t.detach().clone());
  };
  layer.for_each_parameter(save);
  layer.for_each_buffer(save);
}

void LoadedTensors::restore() const {
  const NoGrad guard;
  for (const auto& [tensor, value] : values_) tensor.copy_(value);
}

}  // namespace taper::nn
