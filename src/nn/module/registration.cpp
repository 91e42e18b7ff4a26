// Names registered at run time.
#include "nn/module/find.h"
#include "taper/core/error.h"

namespace taper::nn {
namespace {

void check_name(std::string_view kind, std::string_view name) {
  if (name.find('.') != std::string_view::npos)
    throw KeyError(std::string(kind) + " name can't contain \".\"");
  if (name.empty()) throw KeyError(std::string(kind) + " name can't be empty string \"\"");
}

void check_free(const Find& found, Find::Kind kind) {
  if (found.kind != Find::Kind::nothing && found.kind != kind)
    throw KeyError("attribute '" + std::string(found.name) + "' already exists");
}

NamedEntry& append(Module& m, NamedEntry::Kind kind, std::string_view name) {
  auto& entries = ModuleAccess::made_extra(m).entries;
  entries.push_back(std::make_unique<NamedEntry>(NamedEntry{kind, std::string(name)}));
  return *entries.back();
}

// The object behind a registered name, None or not.
Parameter* put_parameter(Module& m, std::string_view name, const Parameter& p) {
  check_name("parameter", name);
  const Find found(m, name);
  check_free(found, Find::Kind::parameter);
  if (p.defined() && !p.is_leaf())
    throw ValueError(
        "Cannot assign non-leaf Tensor to parameter '" + std::string(name) +
        "'. Model parameters must be created explicitly. To express '" + std::string(name) +
        "' as a function of another Tensor, compute the value in the forward() method.");
  if (found.kind == Find::Kind::nothing) {
    Parameter& held = append(m, NamedEntry::Kind::parameter, name).parameter;
    held = p;
    return &held;
  }
  found.parameter_slot.put(p);
  return Find(m, name).parameter_slot.value;
}

Buffer* put_buffer(Module& m, std::string_view name, const Buffer& b) {
  check_name("buffer", name);
  const Find found(m, name);
  check_free(found, Find::Kind::buffer);
  if (found.kind == Find::Kind::nothing) {
    Buffer& held = append(m, NamedEntry::Kind::buffer, name).buffer;
    held = b;
    return &held;
  }
  found.buffer_slot.put(b);
  return Find(m, name).buffer_slot.value;
}

}  // namespace

Parameter& Module::register_parameter(std::string_view name, const Parameter& parameter) {
  if (!parameter.defined())
    throw TypeError("cannot assign 'NoneType' object to parameter '" + std::string(name) +
                    "': pass nullptr to register None");
  return *put_parameter(*this, name, parameter);
}
void Module::register_parameter(std::string_view name, std::nullptr_t) {
  put_parameter(*this, name, Parameter::none());
}

Buffer& Module::register_buffer(std::string_view name, const Tensor& tensor, bool persistent) {
  if (!tensor.defined())
    throw TypeError("cannot assign 'NoneType' object to buffer '" + std::string(name) +
                    "': pass nullptr to register None");
  Buffer b = Buffer::none(persistent);
  b = tensor;
  return *put_buffer(*this, name, b);
}
void Module::register_buffer(std::string_view name, std::nullptr_t, bool persistent) {
  put_buffer(*this, name, Buffer::none(persistent));
}

void Module::register_module(std::string_view name, std::shared_ptr<Module> module) {
  const Find found(*this, name);
  check_free(found, Find::Kind::child);
  if (name.find('.') != std::string_view::npos)
    throw KeyError("module name can't contain \".\", got: " + std::string(name));
  if (name.empty()) throw KeyError("module name can't be empty string \"\"");
  if (found.kind == Find::Kind::nothing) {
    append(*this, NamedEntry::Kind::child, name).child = std::move(module);
    return;
  }
  const std::string got(module ? module->type_name() : "None");
  if (!found.child_slot.holder->put(found.child_slot.place, module))
    throw TypeError("cannot assign '" + got + "' as child module '" + std::string(name) +
                    "': the member there is of another class");
}

}  // namespace taper::nn
