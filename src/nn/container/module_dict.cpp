#include "taper/nn/module_dict.h"

#include "core/check.h"
#include "nn/container/arguments.h"
#include "nn/container/children.h"
#include "nn/container/pairs.h"
#include "nn/module/registration.h"
#include "nn/module/type_text.h"

namespace taper::nn {
namespace {

DynamicEntry* find(const ModuleDict& d, std::string_view name) {
  for (DynamicEntry* e : Children(d).entries())
    if (e->name == name) return e;
  return nullptr;
}
DynamicEntry& entry(const ModuleDict& d, std::string_view name) {
  DynamicEntry* found = find(d, name);
  if (!found) throw_key_error(name);
  return *found;
}

}  // namespace

TAPER_DETAIL_LAYER_CLASS(ModuleDict) {}

Tensor ModuleDict::call_tensor(const Tensor&) { detail::throw_no_forward(*this); }
Value ModuleDict::forward_values(Values&) { detail::throw_no_forward(*this); }

Module& ModuleDict::operator[](std::string_view name) const {
  const DynamicEntry& e = entry(*this, name);
  if (!e.child) fail<TypeError>("ModuleDict: child '{}' is None", name);
  return *e.child;
}
std::shared_ptr<Module> ModuleDict::shared(std::string_view name) const {
  return entry(*this, name).child;
}
bool ModuleDict::contains(std::string_view name) const { return find(*this, name) != nullptr; }
std::size_t ModuleDict::size() const { return Children(*this).entries().size(); }

void ModuleDict::update(const Value& modules) {
  for (const auto& [key, v] :
       to_pairs(modules, "ModuleDict.update", "ModuleDict update sequence element")) {
    if (!key.is_string())
      fail<TypeError>("module name should be a string. Got {}", key.type_name());
    std::shared_ptr<Module> module = shared_module_of(v);
    if (!module && !v.is_none()) fail<TypeError>("{} is not a Module subclass", type_text(v));
    register_module(key.as_string(), std::move(module));
  }
}

void ModuleDict::erase(std::string_view name) {
  entry(*this, name);
  erase_entry(*this, name);
}
std::shared_ptr<Module> ModuleDict::pop(std::string_view name) {
  std::shared_ptr<Module> removed = shared(name);
  erase_entry(*this, name);
  return removed;
}
void ModuleDict::clear() {
  for (const std::string& name : keys()) erase_entry(*this, name);
}

std::vector<std::string> ModuleDict::keys() const {
  std::vector<std::string> all;
  for (const DynamicEntry* e : Children(*this).entries()) all.push_back(e->name);
  return all;
}
std::vector<NamedChild> ModuleDict::items() const {
  std::vector<NamedChild> all;
  for (const DynamicEntry* e : Children(*this).entries()) all.emplace_back(e->name, e->child);
  return all;
}
std::vector<std::shared_ptr<Module>> ModuleDict::values() const {
  std::vector<std::shared_ptr<Module>> all;
  for (const DynamicEntry* e : Children(*this).entries()) all.push_back(e->child);
  return all;
}

const ModuleSchema& module_schema(const ModuleDict*) {
  static constexpr ModuleSchema schema =
      container_schema<ModuleDict>("ModuleDict", "modules=None", [](const Arguments& a) {
        if (a["modules"].is_none()) return ModuleDict();
        if (!a["modules"].is_dict()) a.reject("modules", "a dict");
        return ModuleDict(named_children(a["modules"]));
      });
  return schema;
}

}  // namespace taper::nn
