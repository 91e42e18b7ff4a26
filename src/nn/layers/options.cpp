#include "nn/layers/options.h"

#include "core/check.h"
#include "taper/nn/module_value.h"

namespace taper::nn {

void check_layer_count(std::int64_t count) {
  constexpr std::int64_t kMax = 1 << 14;
  if (count > kMax) fail<ValueError>("num_layers is too large: got {}, at most {}", count, kMax);
}

std::shared_ptr<Module> module_argument(const Arguments& a, std::string_view name) {
  const Value& given = a[name];
  if (given.is_none()) return nullptr;
  std::shared_ptr<Module> module = given.is_module() ? shared_module_of(given) : nullptr;
  if (!module) a.reject(name, "Module");
  return module;
}

BatchNormOptions stored_options(const NormBase& m) {
  return {.eps = m.eps,
          .momentum = m.momentum,
          .affine = m.affine,
          .track_running_stats = m.track_running_stats,
          .bias = !m.affine || m.bias.has_value()};
}

}  // namespace taper::nn
