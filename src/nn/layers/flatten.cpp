#include "taper/nn/flatten.h"

#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Flatten)
TAPER_LAYER_MEMBERS(Unflatten)

Tensor Flatten::forward(const Tensor& input) const {
  return called(input).flatten(start_dim, end_dim);
}
std::string Flatten::extra_repr() const {
  return "start_dim=" + std::to_string(start_dim) + ", end_dim=" + std::to_string(end_dim);
}

Tensor Unflatten::forward(const Tensor& input) const {
  return called(input).unflatten(dim, unflattened_size);
}
std::string Unflatten::extra_repr() const {
  return "dim=" + std::to_string(dim) + ", unflattened_size=" + tuple_text(unflattened_size);
}

TAPER_OPTIONS_SCHEMA(Flatten, "flatten")

TAPER_SCHEMA(Unflatten, "flatten", dim, unflattened_size)

}  // namespace taper::nn
