#include "taper/nn/functional_call.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/module/indent.h"

namespace taper::nn {
namespace {

using Tensors = std::vector<std::pair<std::string, Value>>;

/// Calls f(name, tensor) for every name of every parameter and buffer.
template <class F> void for_each_name(Module& m, F f) {
  const NamedOptions all{.remove_duplicate = false};
  m.for_each_parameter(f, all);
  m.for_each_buffer(f, all);
}

/// Returns the entries of one or several dicts. Throws if a key is repeated.
Tensors merge_dicts(const Value& dicts) {
  Tensors all;
  const auto add = [&](const Value& dict) {
    for (const auto& [key, v] : dict.as_dict()) {
      if (!key.is_string())
        fail<TypeError>("functional_call: got a key of type {}, expected str", key.type_name());
      all.emplace_back(key.as_string(), v);
    }
  };
  if (dicts.is_dict()) {
    add(dicts);
  } else if (dicts.is_list() || dicts.is_tuple()) {
    for (const Value& dict : dicts.as_sequence())
      if (!dict.is_dict())
        fail<ValueError>("Expected all elements of parameter_and_buffer_dicts to be dictionaries");
    for (const Value& dict : dicts.as_sequence()) add(dict);
  } else {
    fail<ValueError>(
        "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {}",
        dicts.class_text());
  }
  std::map<std::string, int> occurrences;
  Values repeated;
  for (const auto& [key, v] : all)
    if (++occurrences[key] == 2) repeated.emplace_back(key);
  if (!repeated.empty())
    fail<ValueError>(
        "{} appeared in multiple dictionaries; behavior of functional call is ambiguous",
        Value::list(std::move(repeated)).repr());
  return all;
}

/// Adds an entry for each other name under which the module has a tensor of `given`. Throws
/// ValueError if `given` has different values for names of one tensor.
void add_tied_entries(Module& m, Tensors& given) {
  std::unordered_map<const void*, std::set<std::string>> names_of;
  std::unordered_map<std::string, const void*> tensor_of;
  for_each_name(m, [&](std::string_view name, const Tensor& t) {
    names_of[t.impl()].emplace(name);
    tensor_of[std::string(name)] = t.impl();
  });
  const std::map<std::string, Value> by_name(given.begin(), given.end());
  std::set<const void*> done;
  const std::size_t count = given.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = tensor_of.find(given[i].first);
    if (found == tensor_of.end() || !done.insert(found->second).second) continue;
    const std::set<std::string>& names = names_of[found->second];
    const Value v = given[i].second;
    for (const std::string& name : names) {
      const auto other = by_name.find(name);
      if (other == by_name.end())
        given.emplace_back(name, v);
      else if (!(other->second == v))
        fail<ValueError>(
            "functional_call got multiple values for keys {}, which are tied. Consider using "
            "tie_weights=False",
            Value::list(Values(names.begin(), names.end())).repr());
    }
  }
}

void check_keys(Module& m, const Tensors& given) {
  std::set<std::string> missing, unexpected;
  for (const auto& [key, v] : given) unexpected.insert(key);
  for_each_name(m, [&](std::string_view name, const Tensor&) { missing.emplace(name); });
  for (const auto& [key, v] : given)
    if (missing.erase(key)) unexpected.erase(key);
  std::string text;
  const auto list = [&](const char* kind, const std::set<std::string>& keys) {
    if (keys.empty()) return;
    text += std::string("\n\t") + kind + " key(s): ";
    for (const std::string& key : keys)
      text += (key == *keys.begin() ? "" : ", ") + Value(key).repr();
    text += ".";
  };
  list("Unexpected", unexpected);
  list("Missing", missing);
  if (!text.empty())
    fail<RuntimeError>("Error(s) in reparametrizing for {}:{}", m.type_name(), text);
}

/// Replaces tensors of a module within a scope.
class TensorSwapScope {
 public:
  TensorSwapScope(Module& root, const Tensors& given) {
    for (const auto& [key, v] : given)
      if (!v.is_tensor() && !v.is_none())
        fail<TypeError>("{} is not an instance of torch.Tensor", v.str());
    try {
      for (const auto& [key, v] : given) swap(root, key, v.is_none() ? Tensor() : v.as_tensor());
    } catch (...) {
      restore();
      throw;
    }
  }
  ~TensorSwapScope() {
    try {
      restore();
    } catch (...) {  // best effort: the call itself may have removed parts of the module
    }
  }
  TensorSwapScope(const TensorSwapScope&) = delete;
  TensorSwapScope& operator=(const TensorSwapScope&) = delete;

  /// Returns the current values of the replaced tensors that still exist, by key.
  std::map<std::string, Value> current_values() const {
    std::map<std::string, Value> now;
    for (const ReplacedTensor& p : replaced_)
      if (p.module->has_attr(p.name)) now[p.key] = tensor_at(p);
    return now;
  }

 private:
  struct ReplacedTensor {
    std::string key, name;
    Module* module;
    Tensor original;
    bool is_temporary;  ///< true if the attribute exists only during the call
  };

  static Tensor tensor_at(const ReplacedTensor& p) {
    const NameLookup found(*p.module, p.name);
    if (found.kind == NameLookup::Kind::plain && found.plain)
      return found.plain->is_tensor() ? found.plain->as_tensor() : Tensor();
    return computed_value(*p.module, p.name);
  }
  static void assign_tensor(const ReplacedTensor& p, const Tensor& t) {
    if (const NameLookup found(*p.module, p.name);
        found.kind == NameLookup::Kind::plain && found.plain)
      *found.plain = t;
    else
      set_computed_value(*p.module, p.name, t);
  }

  void swap(Module& root, const std::string& key, const Tensor& t) {
    const std::size_t dot = key.rfind('.');
    Module& module = dot == std::string::npos ? root : root.get_submodule(key.substr(0, dot));
    const std::string name = key.substr(dot + 1);  // the whole key if it has no dot
    if (name.empty()) fail<KeyError>("tensor name can't be empty string \"\"");
    const NameLookup found(module, name);
    const bool other = found.kind == NameLookup::Kind::child ||
                       (found.kind == NameLookup::Kind::plain &&
                        !(found.plain && (found.plain->is_tensor() || found.plain->is_none())));
    if (other)
      fail<TypeError>("attribute `{}`: {} is not an instance of torch.Tensor", name,
                      module.get_attr(name).str());
    ReplacedTensor replaced{key, name, &module, {}, found.kind == NameLookup::Kind::nothing};
    if (replaced.is_temporary) {
      module.set_attr(name, Value(t));
    } else {
      replaced.original = tensor_at(replaced);
      if (found.kind == NameLookup::Kind::computed) set_suspended(module, name, true);
      assign_tensor(replaced, t);
    }
    replaced_.push_back(std::move(replaced));
  }

  void restore() {
    while (!replaced_.empty()) {
      const ReplacedTensor p = std::move(replaced_.back());
      replaced_.pop_back();
      if (p.is_temporary) {
        if (p.module->has_attr(p.name)) p.module->del_attr(p.name);
        continue;
      }
      assign_tensor(p, p.original);
      if (is_computed(*p.module, p.name)) set_suspended(*p.module, p.name, false);
    }
  }

  std::vector<ReplacedTensor> replaced_;
};

}  // namespace
}  // namespace taper::nn

namespace taper {

Value func::functional_call(nn::Module& module, const Value& parameters_and_buffers,
                            const Value& args, const Value& kwargs,
                            const FunctionalCallOptions& options) {
  nn::Tensors given = nn::merge_dicts(parameters_and_buffers);
  if (options.tie_weights) nn::add_tied_entries(module, given);
  if (options.strict) nn::check_keys(module, given);
  Values positional;
  if (args.is_tuple())
    positional = args.as_tuple();
  else if (!args.is_none())
    positional.push_back(args);
  nn::TensorSwapScope swap_scope(module, given);
  const auto write_back = [&] {
    if (!parameters_and_buffers.is_dict()) return;
    for (const auto& [key, v] : swap_scope.current_values())
      if (const Value* there = parameters_and_buffers.find(key); there && !(*there == v))
        parameters_and_buffers.as_dict().set(key, v);
  };
  try {
    Value result = module.call(std::move(positional), kwargs);
    write_back();
    return result;
  } catch (...) {
    write_back();
    throw;
  }
}

}  // namespace taper
