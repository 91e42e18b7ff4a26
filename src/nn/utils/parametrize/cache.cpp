#include <map>

#include "core/per_thread.h"
#include "nn/utils/parametrize/parametrize.h"
#include "taper/nn/detail/module_access.h"

namespace taper::nn::utils::parametrize {
namespace {

/// Values that were computed on a thread within a CacheScope. Keyed by the module's weak-reference
/// block, which is retained, so that another module cannot have the same key.
struct Cache {
  int depth = 0;
  std::map<std::pair<std::shared_ptr<ModuleAnchor>, std::string>, Tensor> values;
};
Cache& cache() { return PerThread<Cache>::get(); }

}  // namespace

CacheScope::CacheScope() { ++cache().depth; }
CacheScope::~CacheScope() {
  if (--cache().depth == 0) cache().values.clear();
}

Tensor cached_value(Module& module, std::string_view name, ParametrizationList& list) {
  if (cache().depth == 0) return list();
  const std::pair key(nn::detail::ModuleAccess::anchor(module), std::string(name));
  if (const auto found = cache().values.find(key); found != cache().values.end())
    return found->second;
  return cache().values[key] = list();
}

}  // namespace taper::nn::utils::parametrize
