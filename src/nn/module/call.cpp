// Type-erased calls and their errors.
#include "taper/nn/detail/call.h"

#include "nn/module/extra.h"

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
    throw TypeError(std::string(type_name()) +
                    ".forward: cannot call a const module: forward is not const");
  const Extra* const extra = ModuleAccess::extra(*this);
  if (info.lazy && extra && extra->takes_shapes)
    throw RuntimeError(std::string(type_name()) +
                       ": cannot call a const lazy module before its parameters are initialized");
}

Value Module::forward_kwargs(Values&, const Value& kwargs) {
  throw TypeError(std::string(type_name()) + ".forward() got an unexpected keyword argument " +
                  kwargs.as_dict().entries()[0].first.repr());
}

const Tensor& Convert<Tensor>::none() {
  static const Tensor undefined;
  return undefined;
}

namespace detail {

const Values& items_of(const Value& v, std::size_t count) {
  const Values& items = v.as_sequence();
  if (items.size() != count)
    throw TypeError("value: got " + std::to_string(items.size()) + " items, expected " +
                    std::to_string(count));
  return items;
}

Value unconvertible_value() {
  static const Value value = Value::opaque({.callable = Value::global("c++", "value")});
  return value;
}

void throw_argument_count(const Module& module, std::size_t got, std::size_t min, std::size_t max) {
  const std::string expected = min == max
                                   ? std::to_string(max)
                                   : "from " + std::to_string(min) + " to " + std::to_string(max);
  throw TypeError(std::string(module.type_name()) + ".forward: takes " + expected +
                  " arguments, got " + std::to_string(got));
}

void throw_not_erasable(const Module& module, const char* what) {
  throw TypeError(std::string(module.type_name()) + ".forward: " + what +
                  ": cannot be called through Value, only directly");
}

void throw_no_forward(const Module& module) {
  throw NotImplementedError("Module [" + std::string(module.type_name()) +
                            "] is missing the required \"forward\" function");
}

}  // namespace detail
}  // namespace taper::nn
