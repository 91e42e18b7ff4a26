#include "taper/dist/fully_shard.h"

#include <mutex>
#include <unordered_map>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "dist/shard_unit.h"

namespace taper::distributed {
namespace {

/// Units by module, of all ranks of the process.
struct UnitRegistry {
  std::mutex mutex;
  std::unordered_map<const nn::Module*, std::weak_ptr<ShardUnit>> units;
};
UnitRegistry& unit_registry() {
  static NeverDestroyed<UnitRegistry> registry;
  return *registry;
}

std::shared_ptr<ShardUnit> find_unit(const nn::Module& module) {
  UnitRegistry& registry = unit_registry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.units.find(&module);
  return found == registry.units.end() ? nullptr : found->second.lock();
}

std::shared_ptr<ShardUnit> unit_of(const char* call, const nn::Module* module) {
  if (!module) fail<ValueError>("{}: a module is null", call);
  const auto unit = find_unit(*module);
  if (!unit)
    fail<ValueError>("{}: the module {} was not given to fully_shard", call, module->type_name());
  return unit;
}

ShardUnit::Units units_of(const char* call, const std::vector<nn::Module*>& modules) {
  ShardUnit::Units units;
  for (const nn::Module* m : modules) units.push_back(unit_of(call, m));
  return units;
}

}  // namespace

void fully_shard(nn::Module& module, const FullyShardOptions& options) {
  if (find_unit(module))
    fail<RuntimeError>("fully_shard: the module {} is sharded already", module.type_name());
  const auto unit = std::make_shared<ShardUnit>(module, options);
  unit->attach();
  for (const nn::Module* m : module.modules())
    if (const auto inner = find_unit(*m)) inner->join(unit->schedule());
  {
    UnitRegistry& registry = unit_registry();
    const std::lock_guard lock(registry.mutex);
    std::erase_if(registry.units, [](const auto& entry) { return entry.second.expired(); });
    registry.units[&module] = unit;
  }
  // The hooks own the unit, which therefore exists as long as the module.
  module.register_forward_pre_hook([unit, sharded = &module](nn::Module& called, Values& args) {
    // A clone has copies of the hooks.
    if (&called != sharded)
      fail<RuntimeError>(
          "fully_shard: the module {} is a copy of a sharded module, or it was moved; copies "
          "cannot be called. Load the state dict of the copy into the sharded module",
          called.type_name());
    unit->before_forward(args);
  });
  module.register_forward_hook(
      [unit](nn::Module&, const Values&, Value& result) { unit->after_forward(result); },
      {.always_call = true});
}

void set_requires_gradient_sync(nn::Module& module, bool requires_gradient_sync) {
  for (const nn::Module* m : module.modules())
    if (const auto unit = find_unit(*m)) unit->set_sync(requires_gradient_sync);
}

std::int64_t gathered_bytes(const nn::Module& module) {
  std::int64_t bytes = 0;
  for (const nn::Module* m : module.modules())
    if (const auto unit = find_unit(*m)) bytes += unit->gathered_bytes();
  return bytes;
}

void set_modules_to_forward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules) {
  const char* const call = "set_modules_to_forward_prefetch";
  const auto unit = unit_of(call, &module);
  unit->set_forward_prefetch(units_of(call, modules));
}

void set_modules_to_backward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules) {
  const char* const call = "set_modules_to_backward_prefetch";
  const auto unit = unit_of(call, &module);
  unit->set_backward_prefetch(units_of(call, modules));
}

}  // namespace taper::distributed
