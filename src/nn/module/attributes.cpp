// Attributes by name: get, set and delete as in Python.
#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/module/name_lookup.h"
#include "nn/module/registration.h"
#include "nn/module/suggest.h"
#include "nn/module/type_text.h"

namespace taper::nn {
namespace {

using Kind = NameLookup::Kind;

[[noreturn]] void throw_missing(Module& m, std::string_view name) {
  struct NameCollector final : MemberVisitor {
    std::vector<std::string> all;
    void parameter(const ParameterSlot& s) override { all.emplace_back(s.name); }
    void buffer(const BufferSlot& s) override { all.emplace_back(s.name); }
    void child(const ChildSlot& s) override { all.emplace_back(s.name); }
  } names;
  ModuleAccess::accept(m, names);
  if (const auto* extra = ModuleAccess::extra(m))
    for (const auto& e : extra->entries)
      if (e->kind == DynamicEntry::Kind::plain) names.all.push_back(e->name);
  fail<AttributeError>("'{}' object has no attribute '{}'{}", m.type_name(), name,
                       did_you_mean("attribute", name, names.all));
}

/// Throws TypeError: an entry of another kind exists under the name of `value`.
[[noreturn]] void reject(const NameLookup& found, const Value& value) {
  const bool parameter = found.kind == Kind::parameter,
             buffer = found.kind == Kind::buffer || found.kind == Kind::computed;
  fail<TypeError>("cannot assign '{}' as {} '{}' ({} or None expected)", type_text(value),
                  parameter ? "parameter"
                  : buffer  ? "buffer"
                            : "child module",
                  found.name,
                  parameter ? "torch.nn.Parameter"
                  : buffer  ? "torch.nn.Buffer, torch.Tensor"
                            : "torch.nn.Module");
}

/// Removes the entry of a name before an entry of another kind is registered. Throws if the kind of
/// the existing entry is fixed: KeyError for computed members and `training`, TypeError for members
/// that are listed in the class.
void remove_existing_entry(Module& m, const NameLookup& found, const Value& value) {
  const bool fixed = found.kind == Kind::computed || (found.kind == Kind::plain && !found.plain);
  if (found.kind == Kind::nothing || (!fixed && erase_entry(m, found.name))) return;
  if (fixed) fail<KeyError>("attribute '{}' already exists", found.name);
  reject(found, value);
}

void set_training_flag(Module& m, const Value& value) {
  if (!value.is_bool())
    fail<TypeError>("cannot assign '{}' as 'training' (bool expected)", type_text(value));
  m.training = value.as_bool();
}

}  // namespace

bool erase_entry(Module& m, std::string_view name) {
  const auto* extra = ModuleAccess::extra(m);
  if (!extra) return false;
  return std::erase_if(ModuleAccess::get_or_create_extra(m).entries, [&](const auto& e) {
           return e->name == name && e->kind != DynamicEntry::Kind::member;
         }) > 0;
}

Value Attribute::value() const {
  if (!plain.is_none()) return plain;
  if (parameter) return Value::parameter(*parameter);
  if (buffer) return *buffer;
  return module ? value_of(*module) : plain;
}

void detail::throw_attribute_kind(const Attribute& found, const char* wanted) {
  const Value v = found.value();
  fail<TypeError>("attr: '{}' is {}, not {}", found.name,
                  v.is_none() ? "None" : "a '" + type_text(v) + "'", wanted);
}

Attribute Module::find_attribute(std::string_view name) {
  const NameLookup found(*this, name);
  using AttributeKind = Attribute::Kind;
  switch (found.kind) {
    case Kind::plain:
      return {AttributeKind::plain, name, found.plain ? *found.plain : Value(training)};
    case Kind::parameter: return {AttributeKind::parameter, name, {}, found.parameter_slot.value};
    case Kind::buffer: return {AttributeKind::buffer, name, {}, nullptr, found.buffer_slot.value};
    case Kind::child: {
      const ChildSlot& s = found.child_slot;
      Value shared = s.module && s.holder->shared ? value_of(s.holder->get(s.slot)) : Value();
      return {AttributeKind::child, name, std::move(shared), nullptr, nullptr, s.module};
    }
    case Kind::computed: {
      const bool needs_recompute = computation_of(*this, name)->is_computed_on_read();
      const Tensor value = needs_recompute ? recompute(*this, name) : computed_value(*this, name);
      return {AttributeKind::plain, name, value, found.parameter_slot.value,
              found.buffer_slot.value};
    }
    case Kind::nothing: break;
  }
  throw_missing(*this, name);
}

bool Module::has_attr(std::string_view name) const {
  return NameLookup(*this, name).kind != Kind::nothing;
}

void Module::set_attr(std::string_view name, const Parameter& value) {
  if (!value.defined()) return set_attr(name, Value());
  const NameLookup found(*this, name);
  if (found.kind != Kind::parameter) {
    check_registrable(name, value);  // before the existing entry is removed
    remove_existing_entry(*this, found, value);
  }
  register_parameter(name, value);
}

void Module::set_attr(std::string_view name, const Buffer& value) {
  if (!value.defined()) return set_attr(name, Value());
  const NameLookup found(*this, name);
  if (found.kind == Kind::parameter || found.kind == Kind::child) reject(found, value);
  register_buffer(name, value, value.persistent);
}

void Module::set_attr_module(std::string_view name, std::shared_ptr<Module> value) {
  if (!value) return set_attr(name, Value());
  const NameLookup found(*this, name);
  if (found.kind == Kind::parameter) reject(found, value_of(value));
  if (found.kind != Kind::child) remove_existing_entry(*this, found, value_of(value));
  set_or_add_child(*this, name, std::move(value));
}

void Module::set_attr(std::string_view name, const Value& value) {
  if (value.is_parameter()) return set_attr(name, Parameter::of(value.as_tensor()));
  if (value.is_module()) {
    std::shared_ptr<Module> shared = shared_module_of(value);
    if (!shared)
      fail<TypeError>("set_attr: '{}' requires a shared module: pass a std::shared_ptr", name);
    return set_attr_module(name, std::move(shared));
  }
  const NameLookup found(*this, name);
  const bool none = value.is_none();
  switch (found.kind) {
    case Kind::parameter:
      if (!none) reject(found, value);
      return register_parameter(name, nullptr);
    case Kind::child:
      if (!none) reject(found, value);
      return set_or_add_child(*this, name, nullptr);
    case Kind::buffer:
      if (!none && !value.is_tensor()) reject(found, value);
      if (none) return register_buffer(name, nullptr, found.buffer_slot.persistent);
      register_buffer(name, value.as_tensor(), found.buffer_slot.persistent);
      return;
    case Kind::plain:
      if (found.plain)
        *found.plain = value;
      else
        set_training_flag(*this, value);
      return;
    case Kind::computed:
      if (!value.is_tensor()) reject(found, value);
      return computation_of(*this, name)->assign(*this, name, value.as_tensor());
    case Kind::nothing: append_entry(*this, DynamicEntry::Kind::plain, name).plain = value;
  }
}

void Module::del_attr(std::string_view name) {
  const NameLookup found(*this, name);
  if (found.kind == Kind::computed)
    fail<AttributeError>("property '{}' of '{}' object has no deleter", name, type_name());
  if (erase_entry(*this, name)) return;
  switch (found.kind) {
    case Kind::computed:
    case Kind::nothing: throw_missing(*this, name);
    case Kind::plain: fail<AttributeError>("cannot delete 'training': a member of every module");
    case Kind::parameter: return found.parameter_slot.put(Parameter::none());
    case Kind::buffer: return found.buffer_slot.put(Buffer::none());
    case Kind::child:
      if (!found.child_slot.holder->put(found.child_slot.slot, nullptr))
        fail<TypeError>("cannot delete '{}': a non-optional member of class {}", name, type_name());
  }
}

}  // namespace taper::nn
