#include "taper/io/pickled_module.h"

#include <algorithm>
#include <string_view>

#include "core/check.h"
#include "io/text.h"

namespace taper {
namespace {

using Kind = Value::Kind;

std::string dotted(const Value& global) {
  const auto [module, name] = global.as_global();
  return std::string(module) + "." + std::string(name);
}

/// A dict whose keys are all text.
bool is_table(const Value* v) {
  return v && v->is_dict() &&
         std::all_of(v->as_dict().begin(), v->as_dict().end(),
                     [](const auto& e) { return e.first.is_string(); });
}

/// Names in a set, sorted; false for anything else. `v` is null where PyTorch did not write it yet.
bool read_names(const Value* v, std::vector<std::string>& names) {
  if (!v) return true;
  if (!v->is_set()) return false;
  for (const Value& name : v->as_sequence()) {
    if (!name.is_string()) return false;
    names.push_back(name.as_string());
  }
  std::sort(names.begin(), names.end());
  return true;
}

/// What a hook would call.
std::string name_of_hook(const Value& hook) {
  if (hook.kind() == Kind::global) return dotted(hook);
  if (hook.kind() != Kind::opaque) return hook.type_name();
  const Opaque& o = hook.as_opaque();
  // PyTorch's wrapper around hooks of state dicts.
  if (o.state.is_dict())
    if (const Value* inner = o.state.as_dict().find("hook"); inner && inner->kind() == Kind::global)
      return dotted(*inner);
  return o.callable.kind() == Kind::global ? dotted(o.callable) : o.callable.type_name();
}

void read_hooks(std::string_view kind, const Value& hooks, PickledModule& m) {
  if (!hooks.is_dict() || hooks.size() == 0) return;
  m.hooks.emplace_back(kind, hooks.size());
  for (const auto& [id, hook] : hooks.as_dict()) m.hook_names.push_back(name_of_hook(hook));
}

}  // namespace

std::optional<PickledModule> pickled_module(const Value& value) {
  if (value.kind() != Kind::opaque) return {};
  const Opaque& o = value.as_opaque();
  if (!o.is_new || o.callable.kind() != Kind::global || !is_table(&o.state)) return {};
  const Dict& state = o.state.as_dict();
  const Value* const training = state.find("training");
  PickledModule m;
  for (const auto& [name, into] :
       {std::pair("_parameters", &m.parameters), std::pair("_buffers", &m.buffers),
        std::pair("_modules", &m.modules)}) {
    const Value* const table = state.find(name);
    if (!is_table(table)) return {};
    *into = *table;
  }
  if (!training || !training->is_bool()) return {};
  if (!read_names(state.find("_non_persistent_buffers_set"), m.non_persistent)) return {};
  m.class_name = dotted(o.callable);
  m.training = training->as_bool();
  m.attributes = Value::dict();
  for (const auto& [key, attribute] : state) {
    const std::string& name = key.as_string();
    if (name.ends_with("_hooks")) read_hooks(name, attribute, m);
    if (!name.starts_with("_") && name != "training") m.attributes.as_dict().set(key, attribute);
  }
  return m;
}

}  // namespace taper
