// Members whose tensor is computed from other entries: parametrizations, weight and spectral norm,
// pruning. See docs/design/0009-computed-members.md.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "nn/module/find.h"

namespace taper::nn {

/// How a member gets its tensor. Copies of a module share it, so it has no state: what it computes
/// from are entries of the module it is given.
class Recipe {
 public:
  virtual ~Recipe() = default;
  /// The tensor as it is now, with history if gradients are recorded.
  virtual Tensor compute(Module& m) const = 0;
  /// Is it computed each time its name is read? Else a reader gets what the last call computed.
  virtual bool computed_when_read() const { return false; }
  /// What `m.weight = value` does by name: the member holds it until the next call, unless
  /// overridden.
  virtual void assign(Module& m, std::string_view name, const Tensor& value) const;
};

/// What a module shows in place of its members. Changes while the module is called are undefined.
struct Overlay {
  /// A member, or a name of run time, that is not registered now: no walk sees it.
  struct Computed {
    std::string name;
    std::shared_ptr<const Recipe> recipe;
    bool suspended = false;  ///< holds what it was given, whatever the recipe says
  };
  std::vector<Computed> computed;
  std::string class_name;        ///< shown instead of the class's; empty: the class's own
  std::recursive_mutex running;  ///< a call's from its refresh to the end of its forward

  Overlay() = default;
  Overlay(const Overlay& o) : computed(o.computed), class_name(o.class_name) {}
  Overlay& operator=(const Overlay&) = delete;

  Computed* find(std::string_view name);
  /// Computes all that is not suspended, in the order of withdrawal.
  void refresh(Module& m);
};

/// Takes a registered parameter or buffer, which must not be None, out of what the module shows,
/// and gives it. The member keeps holding it until the first refresh.
Tensor withdraw(Module& m, std::string_view name, std::shared_ptr<const Recipe> recipe);
/// Registers a computed name again, as what it was, behind all other names: the member holds
/// `tensor` itself.
void restore(Module& m, std::string_view name, const Tensor& tensor);

/// Null if the name is not computed.
std::shared_ptr<const Recipe> recipe_of(const Module& m, std::string_view name);
void set_recipe(Module& m, std::string_view name, std::shared_ptr<const Recipe> recipe);
/// Leaves a computed name alone, or not any more.
void suspend(Module& m, std::string_view name, bool suspended);

/// What a computed name holds.
Tensor held(Module& m, std::string_view name);
void hold(Module& m, std::string_view name, const Tensor& tensor);
/// Computes one name and holds it.
Tensor refreshed(Module& m, std::string_view name);

/// The class name that texts and printed forms show; empty for the class's own.
void show_class_as(Module& m, std::string class_name);

}  // namespace taper::nn
