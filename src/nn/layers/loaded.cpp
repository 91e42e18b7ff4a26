#include "nn/layers/loaded.h"

#include "taper/autograd/grad_mode.h"
#include "taper/nn/module_base.h"

namespace taper::nn {

Loaded::Loaded(Module& layer) {
  const auto keep = [&](const Tensor& t) {
    if (!is_lazy(t)) values_.emplace_back(t, t.detach().clone());
  };
  layer.for_each_parameter(keep);
  layer.for_each_buffer(keep);
}

void Loaded::restore() const {
  const NoGrad guard;
  for (const auto& [tensor, value] : values_) tensor.copy_(value);
}

}  // namespace taper::nn
