// own_parameters() and related functions: the dictionaries that a Python module has.
#include "nn/module/extra.h"

namespace taper::nn {
namespace {

struct LocalEntries final : MemberVisitor {
  Value parameters = Value::dict(), buffers = Value::dict(), modules = Value::dict();
  Values non_persistent;

  explicit LocalEntries(const Module& m) { ModuleAccess::accept(detail::mutable_of(m), *this); }
  void parameter(const ParameterSlot& s) override {
    parameters.as_dict().set(s.name, s.value ? Value::parameter(*s.value) : Value());
  }
  void buffer(const BufferSlot& s) override {
    buffers.as_dict().set(s.name, s.value ? Value(*s.value) : Value());
    if (!s.persistent) non_persistent.emplace_back(s.name);
  }
  void child(const ChildSlot& s) override {
    Value v;
    if (s.module) v = s.holder->shared ? value_of(s.holder->get(s.slot)) : value_of(*s.module);
    modules.as_dict().set(s.name, v);
  }
};

}  // namespace

Value Module::own_parameters() const { return LocalEntries(*this).parameters; }
Value Module::own_buffers() const { return LocalEntries(*this).buffers; }
Value Module::own_modules() const { return LocalEntries(*this).modules; }
Value Module::non_persistent_buffers() const {
  return Value::set(LocalEntries(*this).non_persistent);
}

}  // namespace taper::nn
