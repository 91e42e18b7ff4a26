#include "models/build_model.h"

#include <algorithm>

#include "cases/outcome.h"
#include "models/results.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/registry.h"
#include "training/fields.h"
#include "vision/registry.h"

namespace taper::oracle {

std::shared_ptr<nn::Module> build_named_model(const Json& model) {
  vision::register_models();
  Fields fields(model);
  const std::string name = fields.text("name");
  const Value args = plain_value(fields.at("args"));
  fields.done();
  const auto known = nn::class_names();
  if (!std::binary_search(known.begin(), known.end(), name)) throw Unsupported("model " + name);
  return nn::make(name, {}, args);
}

void jitter(nn::Module& model, const Json& seed) {
  const NoGrad guard;
  manual_seed(seed_of(seed));
  for (const Tensor& p : model.parameters()) {
    const Tensor first = p.detach().contiguous().view({-1})[0];
    if ((p == first).all().item<bool>()) p.add_(0.1 * randn(p.shape()));
  }
  for (const auto& [name, buffer] : model.named_buffers()) {
    if (name.ends_with("running_mean")) buffer.add_(0.1 * randn(buffer.shape()));
    if (name.ends_with("running_var")) buffer.mul_(1 + 0.5 * rand(buffer.shape()));
  }
}

}  // namespace taper::oracle
