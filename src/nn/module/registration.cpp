// Dynamic registration of parameters, buffers and modules.
#include "nn/module/registration.h"

#include "core/check.h"
#include "nn/module/name_lookup.h"
#include "nn/module/type_text.h"

namespace taper::nn {
namespace {

void check_name(std::string_view kind, std::string_view name) {
  if (name.find('.') != std::string_view::npos) fail<KeyError>("{} name can't contain \".\"", kind);
  if (name.empty()) fail<KeyError>("{} name can't be empty string \"\"", kind);
}

void check_name_available(const NameLookup& found, NameLookup::Kind kind) {
  if (found.kind != NameLookup::Kind::nothing && found.kind != kind)
    fail<KeyError>("attribute '{}' already exists", found.name);
}

[[noreturn]] void reject_undefined(std::string_view kind, std::string_view name) {
  fail<TypeError>("cannot assign 'NoneType' object to {} '{}': pass nullptr to register None", kind,
                  name);
}

// Registers a parameter, which may be None, and returns the object in its slot.
Parameter* set_or_add_parameter(Module& m, std::string_view name, Parameter p) {
  check_name("parameter", name);
  const NameLookup found(m, name);
  check_name_available(found, NameLookup::Kind::parameter);
  check_registrable(name, p);
  if (p.defined()) run_registration_hooks(m, name, p);
  if (found.kind == NameLookup::Kind::nothing) {
    Parameter& stored = append_entry(m, DynamicEntry::Kind::parameter, name).parameter;
    stored = p;
    return &stored;
  }
  found.parameter_slot.put(p);
  return NameLookup(m, name).parameter_slot.value;
}

Buffer* set_or_add_buffer(Module& m, std::string_view name, Tensor value, bool persistent) {
  check_name("buffer", name);
  const NameLookup found(m, name);
  check_name_available(found, NameLookup::Kind::buffer);
  run_registration_hooks(m, name, value);
  Buffer b = Buffer::none(persistent);
  b = value;
  if (found.kind == NameLookup::Kind::nothing) {
    Buffer& stored = append_entry(m, DynamicEntry::Kind::buffer, name).buffer;
    stored = b;
    return &stored;
  }
  found.buffer_slot.put(b);
  return NameLookup(m, name).buffer_slot.value;
}

}  // namespace

DynamicEntry& append_entry(Module& m, DynamicEntry::Kind kind, std::string_view name) {
  auto& entries = ModuleAccess::get_or_create_extra(m).entries;
  entries.push_back(std::make_unique<DynamicEntry>(DynamicEntry{kind, std::string(name)}));
  // The members are checked in the first call, because a constructor of a base class cannot check
  // those of the derived class.
  ModuleAccess::set_unchecked(m);
  return *entries.back();
}

void check_registrable(std::string_view name, const Parameter& p) {
  check_name("parameter", name);
  if (p.defined() && !p.is_leaf())
    fail<ValueError>(
        "Cannot assign non-leaf Tensor to parameter '{}'. Model parameters must be created "
        "explicitly. To express '{}' as a function of another Tensor, compute the value in the "
        "forward() method.",
        name, name);
}

Parameter& Module::register_parameter(std::string_view name, const Parameter& parameter) {
  if (!parameter.defined()) reject_undefined("parameter", name);
  return *set_or_add_parameter(*this, name, parameter);
}
void Module::register_parameter(std::string_view name, std::nullptr_t) {
  set_or_add_parameter(*this, name, Parameter::none());
}
void Module::register_parameter(std::string_view name, const Value& parameter) {
  if (parameter.is_none()) return register_parameter(name, nullptr);
  check_name("parameter", name);
  check_name_available(NameLookup(*this, name), NameLookup::Kind::parameter);
  if (!parameter.is_parameter())
    fail<TypeError>(
        "cannot assign '{}' object to parameter '{}' (torch.nn.Parameter or None required)",
        type_text(parameter), name);
  register_parameter(name, Parameter::of(parameter.as_tensor()));
}

Buffer& Module::register_buffer(std::string_view name, const Tensor& tensor, bool persistent) {
  if (!tensor.defined()) reject_undefined("buffer", name);
  return *set_or_add_buffer(*this, name, tensor, persistent);
}
void Module::register_buffer(std::string_view name, std::nullptr_t, bool persistent) {
  set_or_add_buffer(*this, name, {}, persistent);
}

void Module::register_module(std::string_view name, std::shared_ptr<Module> module) {
  check_name_available(NameLookup(*this, name), NameLookup::Kind::child);
  if (name.find('.') != std::string_view::npos)
    fail<KeyError>("module name can't contain \".\", got: {}", name);
  if (name.empty()) fail<KeyError>("module name can't be empty string \"\"");
  set_or_add_child(*this, name, std::move(module));
}

void set_or_add_child(Module& m, std::string_view name, std::shared_ptr<Module> module) {
  run_registration_hooks(m, name, module);
  const NameLookup found(m, name);
  if (found.kind == NameLookup::Kind::nothing) {
    append_entry(m, DynamicEntry::Kind::child, name).child = std::move(module);
    return;
  }
  const std::string_view got = module ? module->type_name() : "None";
  if (!found.child_slot.holder->put(found.child_slot.slot, module))
    fail<TypeError>("cannot assign '{}' as child module '{}': the member is {}", got, name,
                    module ? "of another class" : "not optional");
}

}  // namespace taper::nn
