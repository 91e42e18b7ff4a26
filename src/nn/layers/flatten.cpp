#include "taper/nn/flatten.h"

#include "nn/layers/text.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Flatten)
TAPER_LAYER_MEMBERS(Unflatten)

Tensor Flatten::forward(const Tensor& input) { return input.flatten(start_dim, end_dim); }
std::string Flatten::extra_repr() const {
  return "start_dim=" + std::to_string(start_dim) + ", end_dim=" + std::to_string(end_dim);
}

Tensor Unflatten::forward(const Tensor& input) { return input.unflatten(dim, unflattened_size); }
std::string Unflatten::extra_repr() const {
  return "dim=" + std::to_string(dim) + ", unflattened_size=" + tuple_text(unflattened_size);
}

}  // namespace taper::nn
