#include "taper/nn/gelu.h"

#include "nn/registry/layer_schema.h"
#include "taper/nn/functional/gelu.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(GELU)

Tensor GELU::forward(const Tensor& input) const { return functional::gelu(called(input), *this); }
std::string GELU::extra_repr() const { return "approximate=" + Value(approximate).repr(); }

TAPER_OPTIONS_SCHEMA(GELU, "activation")

}  // namespace taper::nn
