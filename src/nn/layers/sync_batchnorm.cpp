#include "taper/nn/sync_batchnorm.h"

#include <string>
#include <vector>

#include "core/check.h"
#include "nn/layers/options.h"
#include "taper/nn/module_value.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(SyncBatchNorm, weight, bias, running_mean, running_var, num_batches_tracked)

Tensor SyncBatchNorm::forward(const Tensor& input) const {
  check_rank(input);
  if (input.size(1) == 0)
    fail<ValueError>(
        "SyncBatchNorm number of input channels should be non-zero: got an input of "
        "shape {}",
        input.shape());
  return normalize(input);
}

namespace {

std::shared_ptr<Module> synchronized(const BatchNormBase& norm) {
  auto result = std::make_shared<SyncBatchNorm>(
      norm.num_features, BatchNormOptions{.eps = norm.eps,
                                          .momentum = norm.momentum,
                                          .affine = norm.affine,
                                          .track_running_stats = norm.track_running_stats,
                                          .bias = norm.bias.has_value()});
  result->weight = norm.weight, result->bias = norm.bias;
  result->running_mean = norm.running_mean, result->running_var = norm.running_var;
  result->num_batches_tracked = norm.num_batches_tracked;
  result->training = norm.training;
  return result;
}

/// Returns the replacement of a module; null if it is not a batch normalization layer.
std::shared_ptr<Module> replacement_of(const Module& module) {
  const auto* const norm = module.as<BatchNormBase>();
  return norm && !module.as<SyncBatchNorm>() ? synchronized(*norm) : nullptr;
}

struct Replaced {
  Module* parent;
  std::string name;
  std::shared_ptr<Module> before;
};

void replace_children(Module& module, std::vector<Replaced>& done) {
  for (const NamedModule& child : module.named_children()) {
    std::shared_ptr<Module> replacement = replacement_of(*child.module);
    if (!replacement) {
      replace_children(*child.module, done);
      continue;
    }
    std::shared_ptr<Module> before = shared_module_of(module.get_attr(child.name));
    module.set_attr(child.name, std::move(replacement));
    done.push_back({&module, child.name, std::move(before)});
  }
}

}  // namespace

std::shared_ptr<Module> SyncBatchNorm::convert_sync_batchnorm(
    const std::shared_ptr<Module>& module) {
  if (!module) fail<ValueError>("convert_sync_batchnorm: got a null module");
  if (std::shared_ptr<Module> replacement = replacement_of(*module)) return replacement;
  std::vector<Replaced> done;
  try {
    replace_children(*module, done);
  } catch (const Error&) {
    for (const Replaced& r : done) r.parent->set_attr(r.name, r.before);
    throw;
  }
  return module;
}

const ModuleSchema& module_schema(const SyncBatchNorm*) {
  static constexpr ModuleSchema schema = layer_schema<SyncBatchNorm>(
      "SyncBatchNorm", "batchnorm",
      "num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, "
      "process_group=None, device=None, dtype=None, *, bias=True",
      [](const Arguments& a) {
        if (!a["process_group"].is_none()) a.reject("process_group", "None");
        return SyncBatchNorm(a.integer("num_features"), norm_options(a));
      },
      [](const SyncBatchNorm& m) {
        Values values = norm_values(m, {m.num_features});
        values.insert(values.begin() + 5, Value());
        return values;
      });
  return schema;
}

}  // namespace taper::nn
