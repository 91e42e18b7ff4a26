// Computed members: members whose tensor is computed from other entries, as in parametrizations,
// weight and spectral norm, and pruning. See docs/design/0009-computed-members.md.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "nn/module/name_lookup.h"

namespace taper::nn {

/// Computation of a member's tensor. Copies of a module share the object, so that it must not have
/// state: inputs of the computation are entries of the module.
class MemberComputation {
 public:
  virtual ~MemberComputation() = default;
  /// Returns the current value, with history if gradients are recorded.
  virtual Tensor compute(Module& m) const = 0;
  /// Returns true if the value is computed each time its name is read. Otherwise reading returns
  /// the value of the last call.
  virtual bool is_computed_on_read() const { return false; }
  /// Implements `m.weight = value` by name. By default, the member holds the value until the next
  /// call.
  virtual void assign(Module& m, std::string_view name, const Tensor& value) const;
};

/// The computed members of a module. Modifying them while the module is called is undefined.
struct ComputedMembers {
  /// A member or dynamic entry that is currently not registered, and therefore not visited.
  struct Computed {
    std::string name;
    std::shared_ptr<const MemberComputation> computation;
    bool suspended = false;  ///< holds its assigned value instead of a computed one
  };
  std::vector<Computed> computed;
  std::string class_name;              ///< displayed class name; empty: that of the class
  std::recursive_mutex refresh_mutex;  ///< held by a call from refresh to the end of forward

  ComputedMembers() = default;
  ComputedMembers(const ComputedMembers& o) : computed(o.computed), class_name(o.class_name) {}
  ComputedMembers& operator=(const ComputedMembers&) = delete;

  Computed* find(std::string_view name);
  /// Computes all members that are not suspended, in the order of registration.
  void refresh(Module& m);
};

/// Unregisters a parameter or buffer and returns its tensor. The member holds this tensor until the
/// first refresh. Throws ValueError if the name is not a parameter or buffer, is None, or is
/// already a computed member.
Tensor register_computed_member(Module& m, std::string_view name,
                                std::shared_ptr<const MemberComputation> computation);
/// Registers a computed member again, with its former kind, after all other entries. The member
/// holds `tensor` itself. Throws ValueError if the name is not a computed member.
void remove_computed_member(Module& m, std::string_view name, const Tensor& tensor);

/// Returns the computation of a member, or null if the name is not a computed member.
std::shared_ptr<const MemberComputation> computation_of(const Module& m, std::string_view name);
/// Replaces the computation of a computed member. Throws ValueError if the name is not one.
void set_computation(Module& m, std::string_view name,
                     std::shared_ptr<const MemberComputation> computation);
/// Suspends or resumes the computation of a member.
void set_suspended(Module& m, std::string_view name, bool suspended);

/// Get and set the tensor that a computed member, or a registered parameter or buffer, holds.
Tensor computed_value(Module& m, std::string_view name);
void set_computed_value(Module& m, std::string_view name, const Tensor& tensor);
/// Computes one member unless it is suspended, stores the value in it, and returns the tensor that
/// the member holds.
Tensor recompute(Module& m, std::string_view name);

/// Sets the class name for error messages and printed forms. Empty restores the name of the class.
void set_display_name(Module& m, std::string class_name);

}  // namespace taper::nn
