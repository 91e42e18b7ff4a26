#include "nn/module/overlay.h"

#include <algorithm>

#include "core/check.h"
#include "nn/module/registration.h"

namespace taper::nn {
namespace {

/// Forwards the slot of one name.
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

/// Forwards the slots that are neither computed nor moved to the dynamic entries.
struct VisibleMembers final : MemberVisitor {
  using Entries = std::vector<std::unique_ptr<NamedEntry>>;
  Overlay& overlay;
  const Entries& entries;
  MemberVisitor& to;
  VisibleMembers(Overlay& o, const Entries& e, MemberVisitor& w) : overlay(o), entries(e), to(w) {}
  bool hides(std::string_view name) const {
    if (overlay.find(name)) return true;
    for (const auto& e : entries)
      if (e->kind == NamedEntry::Kind::member && e->name == name) return true;
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

/// Finds the slot of a name, computed or not.
struct Slot final : MemberVisitor {
  ParameterSlot as_parameter{};
  BufferSlot as_buffer{};
  void parameter(const ParameterSlot& s) override { as_parameter = s; }
  void buffer(const BufferSlot& s) override { as_buffer = s; }

  Slot(Module& m, std::string_view name) { ModuleAccess::accept_hidden(m, name, *this); }
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

Overlay& made_overlay(Module& m) {
  auto& overlay = ModuleAccess::made_extra(m).overlay;
  if (!overlay) overlay = std::make_shared<Overlay>();
  return *overlay;
}

Overlay::Computed& computed(const Module& m, std::string_view name) {
  Overlay* overlay = ModuleAccess::overlay(m).get();
  Overlay::Computed* found = overlay ? overlay->find(name) : nullptr;
  if (!found) fail<ValueError>("{}: '{}' is not a computed member", m.type_name(), name);
  return *found;
}

}  // namespace

void Recipe::assign(Module& m, std::string_view name, const Tensor& value) const {
  hold(m, name, value);
}

Overlay::Computed* Overlay::find(std::string_view name) {
  for (Computed& c : computed)
    if (c.name == name) return &c;
  return nullptr;
}

void Overlay::refresh(Module& m) {
  for (std::size_t i = 0; i < computed.size(); ++i)
    if (!computed[i].suspended) hold(m, computed[i].name, computed[i].recipe->compute(m));
}

void ModuleAccess::accept_visible(Module& m, MemberVisitor& visitor) {
  const Module::Extra& e = *extra(m);
  VisibleMembers visible(*e.overlay, e.entries, visitor);
  ModuleAccess::visit_members(m, visible);
  for (std::size_t i = 0; i < e.entries.size(); ++i) {  // a visit may register another entry
    NamedEntry& entry = *e.entries[i];
    if (e.overlay->find(entry.name)) continue;
    NameFilter filter(entry.name, visitor);
    if (entry.kind == NamedEntry::Kind::member)
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

Tensor withdraw(Module& m, std::string_view name, std::shared_ptr<const Recipe> recipe) {
  const Slot slot(m, name);
  const Tensor there = slot.tensor();
  if (!there.defined())
    fail<ValueError>("{}: '{}' is not a parameter or buffer, or is None", m.type_name(), name);
  Overlay& overlay = made_overlay(m);
  if (overlay.find(name))
    fail<ValueError>("{}: '{}' is already a computed member", m.type_name(), name);
  std::erase_if(ModuleAccess::made_extra(m).entries, [&](const auto& e) {
    return e->kind == NamedEntry::Kind::member && e->name == name;
  });
  overlay.computed.push_back({std::string(name), std::move(recipe)});
  ModuleAccess::set_hooked(m);
  return there;
}

void restore(Module& m, std::string_view name, const Tensor& tensor) {
  computed(m, name);
  hold(m, name, tensor);
  auto& entries = ModuleAccess::made_extra(m).entries;
  const auto own =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e->name == name; });
  if (own != entries.end())
    std::rotate(own, own + 1, entries.end());
  else
    append_entry(m, NamedEntry::Kind::member, name);
  std::erase_if(made_overlay(m).computed, [&](const auto& c) { return c.name == name; });
}

bool is_computed(const Module& m, std::string_view name) {
  const auto& overlay = ModuleAccess::overlay(m);
  return overlay && overlay->find(name);
}

std::shared_ptr<const Recipe> recipe_of(const Module& m, std::string_view name) {
  const auto& overlay = ModuleAccess::overlay(m);
  const Overlay::Computed* found = overlay ? overlay->find(name) : nullptr;
  return found ? found->recipe : nullptr;
}
void set_recipe(Module& m, std::string_view name, std::shared_ptr<const Recipe> recipe) {
  computed(m, name).recipe = std::move(recipe);
}
void suspend(Module& m, std::string_view name, bool suspended) {
  computed(m, name).suspended = suspended;
}

Tensor held(Module& m, std::string_view name) { return Slot(m, name).tensor(); }
void hold(Module& m, std::string_view name, const Tensor& tensor) {
  const Slot slot(m, name);
  if (!slot.found()) fail<AttributeError>("{} has no attribute `{}`", m.type_name(), name);
  slot.put(tensor);
}
Tensor refreshed(Module& m, std::string_view name) {
  const Overlay::Computed& c = computed(m, name);
  const std::lock_guard lock(ModuleAccess::overlay(m)->running);
  if (!c.suspended) hold(m, name, c.recipe->compute(m));
  return held(m, name);
}

void show_class_as(Module& m, std::string class_name) {
  made_overlay(m).class_name = std::move(class_name);
}

void Module::refresh() const {
  const std::shared_ptr<Overlay> overlay = ModuleAccess::overlay(*this);
  if (!overlay) return;
  const std::lock_guard lock(overlay->running);
  overlay->refresh(detail::mutable_of(*this));
}

std::string_view Module::type_name() const {
  const auto& overlay = ModuleAccess::overlay(*this);
  return overlay && !overlay->class_name.empty() ? overlay->class_name
                                                 : std::string_view(class_info().name);
}

}  // namespace taper::nn
