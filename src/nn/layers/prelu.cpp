#include "taper/nn/prelu.h"

#include "nn/registry/schema.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/activation.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(PReLU, weight)

PReLU::PReLU(const PReLUOptions& o)
    : num_parameters(o.num_parameters),
      init(o.init),
      weight(empty({o.num_parameters}, tensor_options(o))) {
  reset_parameters();
}
void PReLU::reset_parameters() {
  const NoGrad guard;
  weight.fill_(init);
}
Tensor PReLU::forward(const Tensor& input) const {
  return functional::prelu(called(input), weight);
}
std::string PReLU::extra_repr() const { return "num_parameters=" + std::to_string(num_parameters); }

const ModuleSchema& module_schema(const PReLU*) {
  static constexpr ModuleSchema schema = layer_schema<PReLU>(
      "PReLU", "activation", "num_parameters=1, init=0.25, device=None, dtype=None",
      [](const Arguments& a) {
        return PReLU(a.integer("num_parameters"),
                     {.init = a.number("init"), .dtype = a.dtype(), .device = a.device()});
      },
      [](const PReLU& m) -> Values {
        return {m.num_parameters, m.init, m.weight.device(), m.weight.dtype()};
      });
  return schema;
}

}  // namespace taper::nn
