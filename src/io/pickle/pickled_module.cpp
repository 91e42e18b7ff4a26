#include "taper/io/pickled_module.h"

#include <algorithm>
#include <string_view>

#include "core/check.h"
#include "io/pickle/globals/class_name.h"
#include "io/text.h"

namespace taper {
namespace {

using Kind = Value::Kind;

using io::global_name;

/// Returns true for a dict whose keys are all strings; false if `v` is null.
bool is_string_keyed_dict(const Value* v) {
  return v && v->is_dict() &&
         std::all_of(v->as_dict().begin(), v->as_dict().end(),
                     [](const auto& e) { return e.first.is_string(); });
}

/// Reads a set of strings into `names`, sorted. Returns false if `v` is not a set of strings. Reads
/// nothing if `v` is null: the PyTorch version of the file did not write the attribute.
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

/// Returns the name of the method that a pickled getattr(object, name) refers to; empty if `o` is
/// not such a call.
std::string name_of_method(const Opaque& o) {
  const bool is = o.callable.as_global().second == "getattr" && o.arguments.is_tuple() &&
                  o.arguments.size() == 2 && o.arguments.as_tuple()[1].is_string();
  if (!is) return {};
  const Value& object = o.arguments.as_tuple()[0];
  const bool named =
      object.kind() == Kind::opaque && object.as_opaque().callable.kind() == Kind::global;
  return (named ? global_name(object.as_opaque().callable) : object.type_name()) + "." +
         o.arguments.as_tuple()[1].as_string();
}

/// Returns the callable inside a wrapper: PyTorch's wrapper of state dict hooks or
/// functools.partial. Returns null for any other object.
const Value* unwrap_callable(const Opaque& o) {
  const Value* inner = o.state.is_dict() ? o.state.as_dict().find("hook") : nullptr;
  if (global_name(o.callable) == "functools.partial" && o.arguments.is_tuple() &&
      o.arguments.size() > 0)
    inner = &o.arguments.as_tuple()[0];
  const bool callable = inner && (inner->kind() == Kind::global || inner->kind() == Kind::opaque);
  return callable ? inner : nullptr;
}

/// Returns the name of the function that a hook calls.
std::string name_of_hook(const Value& hook) {
  constexpr int kMaxWrappers = 10;
  const Value* at = &hook;
  for (int i = 0; i < kMaxWrappers && at->kind() == Kind::opaque; ++i) {
    const Opaque& o = at->as_opaque();
    if (o.callable.kind() != Kind::global) return o.callable.type_name();
    if (std::string method = name_of_method(o); !method.empty()) return method;
    const Value* const inner = unwrap_callable(o);
    if (!inner) return global_name(o.callable);
    at = inner;
  }
  return at->kind() == Kind::global ? global_name(*at) : at->type_name();
}

void read_hooks(std::string_view kind, const Value& hooks, PickledModule& m) {
  if (!hooks.is_dict() || hooks.size() == 0) return;
  m.hooks.emplace_back(kind, hooks.size());
  for (const auto& [id, hook] : hooks.as_dict()) m.hook_names.push_back(name_of_hook(hook));
}

/// Returns a module wrapped by torch.compile: its only member is the original module, as the child
/// `_orig_mod`. Returns nullopt for any other object.
std::optional<PickledModule> compiled_module(const Opaque& o) {
  const bool is = global_name(o.callable) == "torch._dynamo.eval_frame.OptimizedModule" &&
                  o.arguments.is_tuple() && o.arguments.size() > 0;
  if (!is) return {};
  PickledModule m;
  m.class_name = global_name(o.callable);
  m.parameters = m.buffers = m.attributes = Value::dict();
  m.modules = Value::dict({{"_orig_mod", o.arguments.as_tuple()[0]}});
  return m;
}

/// Returns the attributes of an object: its state or, for a module created by torch.fx, the first
/// argument of the call that rebuilds it. Returns null for the result of any other call.
const Value* attributes_of(const Opaque& o) {
  if (o.is_new) return &o.state;
  const bool traced = global_name(o.callable) == "torch.fx.graph_module.reduce_graph_module" &&
                      o.arguments.is_tuple() && o.arguments.size() > 0;
  return traced ? &o.arguments.as_tuple()[0] : nullptr;
}

}  // namespace

std::optional<PickledModule> pickled_module(const Value& value) {
  if (value.kind() != Kind::opaque) return {};
  const Opaque& o = value.as_opaque();
  if (o.callable.kind() != Kind::global) return {};
  if (std::optional<PickledModule> compiled = compiled_module(o)) return compiled;
  const Value* const attributes = attributes_of(o);
  if (!is_string_keyed_dict(attributes)) return {};
  const Dict& state = attributes->as_dict();
  const Value* const training = state.find("training");
  PickledModule m;
  for (const auto& [name, into] :
       {std::pair("_parameters", &m.parameters), std::pair("_buffers", &m.buffers),
        std::pair("_modules", &m.modules)}) {
    const Value* const table = state.find(name);
    if (!is_string_keyed_dict(table)) return {};
    *into = *table;
  }
  if (!training || !training->is_bool()) return {};
  if (!read_names(state.find("_non_persistent_buffers_set"), m.non_persistent)) return {};
  m.class_name = global_name(o.callable);
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
