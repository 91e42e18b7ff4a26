#include "taper/nn/gelu.h"

#include "nn/registry/schema.h"
#include "taper/nn/functional/gelu.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(GELU)

Tensor GELU::forward(const Tensor& input) const {
  return functional::gelu(input, {.approximate = approximate});
}
std::string GELU::extra_repr() const { return "approximate=" + Value(approximate).repr(); }

const ModuleSchema& module_schema(const GELU*) {
  static constexpr ModuleSchema schema = layer_schema<GELU>(
      "GELU", "activation", "approximate='none'",
      [](const Arguments& a) { return GELU({.approximate = a.string("approximate")}); },
      [](const GELU& m) -> Values { return {m.approximate}; });
  return schema;
}

}  // namespace taper::nn
