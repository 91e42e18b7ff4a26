// ModuleAccess: the only way from the library and its macros to the internals of a module.
#pragma once
#include <memory>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

struct DynamicEntry;
class HookTable;
struct ComputedMembers;

namespace detail {

/// Functions of Module that are not part of its interface.
struct ModuleAccess {
  using Extra = Module::Extra;

  // Calls.
  static const ClassInfo& class_info(const Module& m) { return m.class_info(); }
  /// Returns true if a call needs neither hooks nor checks.
  static bool can_call_directly(const Module& m) noexcept { return m.can_call_directly(); }
  /// Checks a module that was never visited. Returns true if hooks must run.
  static bool enter_slow_path(const Module& m) { return m.enter_slow_path(); }
  /// Runs forward with type-erased arguments, without hooks.
  static Value forward_values(Module& m, Values& args) { return m.forward_values(args); }
  /// Runs the hooks and forward with one tensor.
  static Tensor call_tensor(Module& m, const Tensor& x) { return m.call_tensor(x); }
  /// Makes the next visit or call verify that all members are listed.
  static void set_unchecked(Module& m) { m.call_flags_.fetch_or(Module::kUnchecked); }
  /// Makes calls look for hooks and computed members.
  static void set_hooked(Module& m) { m.call_flags_.fetch_or(Module::kHooked); }

  // Members and dynamically registered entries.
  /// Passes the registered entries to `visitor`. The first visit verifies that all members are
  /// listed in TAPER_MODULE.
  static void accept(Module& m, MemberVisitor& visitor) { m.accept(visitor); }
  /// As accept(), without the check for members that are not listed.
  static void accept_unchecked(Module& m, MemberVisitor& visitor);
  /// As accept_unchecked(), for a module with computed members.
  static void accept_visible(Module& m, MemberVisitor& visitor);
  /// Passes the tensor `name` to `visitor`, whether it is computed or not.
  static void accept_hidden(Module& m, std::string_view name, MemberVisitor& visitor);
  /// Passes the listed members to `visitor`.
  static void visit_members(Module& m, MemberVisitor& visitor) { m.visit_members(visitor); }
  static void visit_entry(DynamicEntry& entry, MemberVisitor& visitor);
  static Attribute find_attribute(Module& m, std::string_view name) {
    return m.find_attribute(name);
  }

  /// Return the tag of a module and the module of a tag.
  static const AddressTag& tag(const Module& m) { return m; }
  static const Module& module_of(const AddressTag& tag) { return static_cast<const Module&>(tag); }

  // Lazily allocated state.
  /// Returns the lazily allocated state; null if it was never needed.
  static Extra* extra(const Module& m) { return m.extra_.load(std::memory_order_acquire); }
  /// Returns the lazily allocated state, creating it if necessary.
  static Extra& get_or_create_extra(const Module& m) { return m.extra(); }
  static HookTable& get_or_create_hooks(Module& m);
  /// Returns the table of hooks; null if no hook was ever registered.
  static const std::shared_ptr<HookTable>& hooks(const Module& m);
  /// Returns the computed members; null if no member was ever computed.
  static const std::shared_ptr<ComputedMembers>& computed_members(const Module& m);
  /// Returns the weak-reference control block, creating it if necessary.
  static const std::shared_ptr<ModuleAnchor>& anchor(const Module& m);

  /// Returns a copy that shares its tensors and shared children with the module.
  static std::shared_ptr<Module> clone_shallow(const Module& m) { return m.clone_shallow(); }
};

}  // namespace detail
}  // namespace nn
}  // namespace taper
