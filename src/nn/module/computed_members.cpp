#include "nn/module/computed_members.h"

#include <algorithm>

#include "core/check.h"
#include "nn/module/registration.h"

namespace taper::nn {
namespace {

/// Forwards the slots of one name to another visitor.
struct NameFilter final : MemberVisitor {
  std::string_view name;
  MemberVisitor& to;
  NameFilter(std::string_view n, MemberVisitor& w) : name(n), to(w) {}
  void parameter(const ParameterSlot& s) override {
    if (s.name == name) to.parameter(s);
  }
  void buffer(const BufferSlot& s) override {
    if (s.name == name) to.buffer(s);
  }
};

/// Forwards the slots that are neither computed nor moved to the dynamic entries to another
/// visitor.
struct VisibleMembers final : MemberVisitor {
  using Entries = std::vector<std::unique_ptr<DynamicEntry>>;
  ComputedMembers& computed_members;
  const Entries& entries;
  MemberVisitor& to;
  VisibleMembers(ComputedMembers& o, const Entries& e, MemberVisitor& w)
      : computed_members(o), entries(e), to(w) {}
  bool hides(std::string_view name) const {
    if (computed_members.find(name)) return true;
    for (const auto& e : entries)
      if (e->kind == DynamicEntry::Kind::member && e->name == name) return true;
    return false;
  }
  void parameter(const ParameterSlot& s) override {
    if (!hides(s.name)) to.parameter(s);
  }
  void buffer(const BufferSlot& s) override {
    if (!hides(s.name)) to.buffer(s);
  }
  void child(const ChildSlot& s) override { to.child(s); }
};

/// The slot of the parameter or buffer of a name, whether computed or not.
struct ComputedTensorSlot final : MemberVisitor {
  ParameterSlot as_parameter{};
  BufferSlot as_buffer{};
  void parameter(const ParameterSlot& s) override { as_parameter = s; }
  void buffer(const BufferSlot& s) override { as_buffer = s; }

  ComputedTensorSlot(Module& m, std::string_view name) {
    ModuleAccess::accept_hidden(m, name, *this);
  }
  bool is_parameter() const { return as_parameter.put_into != nullptr; }
  bool found() const { return is_parameter() || as_buffer.put_into; }
  Tensor tensor() const {
    if (is_parameter()) return as_parameter.value ? Tensor(*as_parameter.value) : Tensor();
    return as_buffer.value ? Tensor(*as_buffer.value) : Tensor();
  }
  void put(const Tensor& t) const {
    if (is_parameter()) {
      Parameter p = Parameter::none();
      static_cast<Tensor&>(p) = t;  // unlike Parameter::of: preserves history
      return as_parameter.put(p);
    }
    Buffer b = Buffer::none(as_buffer.persistent);
    b = t;
    as_buffer.put(b);
  }
};

ComputedMembers& get_or_create_computed_members(Module& m) {
  auto& computed_members = ModuleAccess::get_or_create_extra(m).computed_members;
  if (!computed_members) computed_members = std::make_shared<ComputedMembers>();
  return *computed_members;
}

ComputedMembers::Computed& computed(const Module& m, std::string_view name) {
  ComputedMembers* computed_members = ModuleAccess::computed_members(m).get();
  ComputedMembers::Computed* found = computed_members ? computed_members->find(name) : nullptr;
  if (!found) fail<ValueError>("{}: '{}' is not a computed member", m.type_name(), name);
  return *found;
}

}  // namespace

void MemberComputation::assign(Module& m, std::string_view name, const Tensor& value) const {
  set_computed_value(m, name, value);
}

ComputedMembers::Computed* ComputedMembers::find(std::string_view name) {
  for (Computed& c : computed)
    if (c.name == name) return &c;
  return nullptr;
}

void ComputedMembers::refresh(Module& m) {
  for (std::size_t i = 0; i < computed.size(); ++i)
    if (!computed[i].suspended)
      set_computed_value(m, computed[i].name, computed[i].computation->compute(m));
}

void ModuleAccess::accept_visible(Module& m, MemberVisitor& visitor) {
  const Module::Extra& e = *extra(m);
  VisibleMembers visible(*e.computed_members, e.entries, visitor);
  ModuleAccess::visit_members(m, visible);
  for (std::size_t i = 0; i < e.entries.size(); ++i) {  // a visit may register another entry
    DynamicEntry& entry = *e.entries[i];
    if (e.computed_members->find(entry.name)) continue;
    NameFilter filter(entry.name, visitor);
    if (entry.kind == DynamicEntry::Kind::member)
      ModuleAccess::visit_members(m, filter);
    else
      visit_entry(entry, visitor);
  }
}

void ModuleAccess::accept_hidden(Module& m, std::string_view name, MemberVisitor& visitor) {
  NameFilter filter(name, visitor);
  ModuleAccess::visit_members(m, filter);
  if (const auto* e = extra(m))
    for (const auto& entry : e->entries) visit_entry(*entry, filter);
}

Tensor register_computed_member(Module& m, std::string_view name,
                                std::shared_ptr<const MemberComputation> computation) {
  const ComputedTensorSlot slot(m, name);
  const Tensor original = slot.tensor();
  if (!original.defined())
    fail<ValueError>("{}: '{}' is not a parameter or buffer, or is None", m.type_name(), name);
  ComputedMembers& computed_members = get_or_create_computed_members(m);
  if (computed_members.find(name))
    fail<ValueError>("{}: '{}' is already a computed member", m.type_name(), name);
  std::erase_if(ModuleAccess::get_or_create_extra(m).entries, [&](const auto& e) {
    return e->kind == DynamicEntry::Kind::member && e->name == name;
  });
  computed_members.computed.push_back({std::string(name), std::move(computation)});
  ModuleAccess::set_hooked(m);
  return original;
}

void remove_computed_member(Module& m, std::string_view name, const Tensor& tensor) {
  computed(m, name);
  set_computed_value(m, name, tensor);
  auto& entries = ModuleAccess::get_or_create_extra(m).entries;
  const auto existing =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e->name == name; });
  if (existing != entries.end())
    std::rotate(existing, existing + 1, entries.end());
  else
    append_entry(m, DynamicEntry::Kind::member, name);
  std::erase_if(get_or_create_computed_members(m).computed,
                [&](const auto& c) { return c.name == name; });
}

bool is_computed(const Module& m, std::string_view name) {
  const auto& computed_members = ModuleAccess::computed_members(m);
  return computed_members && computed_members->find(name);
}

std::shared_ptr<const MemberComputation> computation_of(const Module& m, std::string_view name) {
  const auto& computed_members = ModuleAccess::computed_members(m);
  const ComputedMembers::Computed* found =
      computed_members ? computed_members->find(name) : nullptr;
  return found ? found->computation : nullptr;
}
void set_computation(Module& m, std::string_view name,
                     std::shared_ptr<const MemberComputation> computation) {
  computed(m, name).computation = std::move(computation);
}
void set_suspended(Module& m, std::string_view name, bool suspended) {
  computed(m, name).suspended = suspended;
}

Tensor computed_value(Module& m, std::string_view name) {
  return ComputedTensorSlot(m, name).tensor();
}
void set_computed_value(Module& m, std::string_view name, const Tensor& tensor) {
  const ComputedTensorSlot slot(m, name);
  if (!slot.found()) fail<AttributeError>("{} has no attribute `{}`", m.type_name(), name);
  slot.put(tensor);
}
Tensor recompute(Module& m, std::string_view name) {
  const ComputedMembers::Computed& c = computed(m, name);
  const std::lock_guard lock(ModuleAccess::computed_members(m)->refresh_mutex);
  if (!c.suspended) set_computed_value(m, name, c.computation->compute(m));
  return computed_value(m, name);
}

void set_display_name(Module& m, std::string class_name) {
  get_or_create_computed_members(m).class_name = std::move(class_name);
}

void Module::refresh() const {
  const std::shared_ptr<ComputedMembers> computed_members = ModuleAccess::computed_members(*this);
  if (!computed_members) return;
  const std::lock_guard lock(computed_members->refresh_mutex);
  computed_members->refresh(detail::mutable_of(*this));
}

std::string_view Module::type_name() const {
  const auto& computed_members = ModuleAccess::computed_members(*this);
  return computed_members && !computed_members->class_name.empty()
             ? computed_members->class_name
             : std::string_view(class_info().name);
}

}  // namespace taper::nn
