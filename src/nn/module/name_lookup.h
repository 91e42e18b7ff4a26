// NameLookup: looks up one name in a module.
#pragma once
#include "nn/module/extra.h"

namespace taper::nn {

/// Returns true if the name is a computed member. See nn/module/computed_members.h.
bool is_computed(const Module& m, std::string_view name);

/// The entry of a module under a name: absent, a slot, or a plain attribute. A computed member has
/// a slot but is not registered.
struct NameLookup final : MemberVisitor {
  enum class Kind : std::uint8_t { nothing, plain, parameter, buffer, child, computed };

  NameLookup(const Module& module, std::string_view wanted) : name(wanted) {
    Module& m = detail::mutable_of(module);
    if (name == "training") kind = Kind::plain;
    if (const auto* extra = ModuleAccess::extra(module))
      for (const auto& e : extra->entries)
        if (e->kind == DynamicEntry::Kind::plain && e->name == name)
          kind = Kind::plain, plain = &e->plain;
    if (kind == Kind::nothing) ModuleAccess::accept(m, *this);
    if (kind == Kind::nothing && is_computed(module, name)) {
      ModuleAccess::accept_hidden(m, name, *this);
      kind = Kind::computed;
    }
  }

  std::string_view name;
  Kind kind = Kind::nothing;
  Value* plain = nullptr;  ///< null for `training`
  ParameterSlot parameter_slot{};
  BufferSlot buffer_slot{};
  ChildSlot child_slot{};

  void parameter(const ParameterSlot& s) override {
    if (s.name == name) kind = Kind::parameter, parameter_slot = s;
  }
  void buffer(const BufferSlot& s) override {
    if (s.name == name) kind = Kind::buffer, buffer_slot = s;
  }
  void child(const ChildSlot& s) override {
    if (s.name == name) kind = Kind::child, child_slot = s;
  }
};

}  // namespace taper::nn
