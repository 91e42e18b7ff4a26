// Type-erased calls and their errors.
#include "taper/nn/detail/call.h"

#include "core/check.h"
#include "core/never_destroyed.h"
#include "nn/module/extra.h"
#include "nn/module/keywords.h"
#include "taper/core/dict.h"

namespace taper::nn {

Value Module::call(Values args, const Value& kwargs) {
  Value named;  // a dict of this call, which hooks may modify
  if (!kwargs.is_none()) named = kwargs.as_dict().copy();
  Value result;
  HookCall call{*this, args, named, result};
  detail::ForwardThunk forward{this, [](void* self, HookCall& c) {
                                 Module& m = *static_cast<Module*>(self);
                                 c.result = c.kwargs.is_none() || c.kwargs.as_dict().empty()
                                                ? ModuleAccess::forward_values(m, c.args)
                                                : m.forward_kwargs(c.args, c.kwargs);
                               }};
  enter_slow_path();
  detail::run_hooked_call(call, forward);
  return result;
}

void Module::check_const_callable() const {
  const ClassInfo& info = class_info();
  if (!info.const_forward)
    fail<TypeError>("{}.forward: cannot call a const module: forward is not const", type_name());
  const Extra* const extra = ModuleAccess::extra(*this);
  if (info.lazy && extra && extra->adopts_loaded_shapes)
    fail<RuntimeError>("{}: cannot call a const lazy module before its parameters are initialized",
                       type_name());
}

Value Module::forward_kwargs(Values& args, const Value& kwargs) {
  if (const char* const signature = class_info().forward_signature) {
    append_keywords(*this, signature, args, kwargs);
    return forward_values(args);
  }
  fail<TypeError>("{}.forward() got an unexpected keyword argument {}", type_name(),
                  kwargs.as_dict().entries()[0].first.repr());
}

const Tensor& Convert<Tensor>::none() {
  static const NeverDestroyed<Tensor> undefined;
  return *undefined;
}

namespace detail {

void throw_unknown_field(const Value& fields, const char* names) {
  for (const auto& [key, value] : fields.as_dict()) {
    const char* list = names;
    bool found = false;
    for (std::string_view name; !(name = taper::detail::next_name(list)).empty();)
      found = found || (key.is_string() && key.as_string() == name);
    if (!found) fail<TypeError>("options: unknown field {}, expected one of {}", key.repr(), names);
  }
  fail<TypeError>("options: got a field twice");
}

const Values& items_of(const Value& v, std::size_t count) {
  const Values& items = v.as_sequence();
  if (items.size() != count)
    fail<TypeError>("value: got {} items, expected {}", items.size(), count);
  return items;
}

Value unconvertible_value() {
  static const NeverDestroyed<Value> value(
      Value::opaque({.callable = Value::global("c++", "value")}));
  return *value;
}

void throw_argument_count(const Module& module, std::size_t got, std::size_t min, std::size_t max) {
  const std::string expected = min == max
                                   ? std::to_string(max)
                                   : "from " + std::to_string(min) + " to " + std::to_string(max);
  fail<TypeError>("{}.forward: takes {} arguments, got {}", module.type_name(), expected, got);
}

void throw_not_erasable(const Module& module, const char* what) {
  fail<TypeError>("{}.forward: {}: cannot be called through Value, only directly",
                  module.type_name(), what);
}

void throw_no_forward(const Module& module) {
  fail<NotImplementedError>("Module [{}] is missing the required \"forward\" function",
                            module.type_name());
}

}  // namespace detail
}  // namespace taper::nn
