// Implementation of `clone()`: deep copies of modules.
#pragma once
#include <memory>
#include <type_traits>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

// Defines the copy constructor that `clone()` uses. Memberwise copying requires a copy constructor
// for each member; it accepts a non-const reference so that implicit copies of const objects do not
// compile. Calling it directly causes a deprecation warning, and throws RuntimeError unless a
// clone() is running.
#define TAPER_DETAIL_QUIET_BEGIN \
  _Pragma("GCC diagnostic push") \
      TAPER_DETAIL_QUIET_DELETED _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define TAPER_DETAIL_QUIET_END _Pragma("GCC diagnostic pop")
#define TAPER_DETAIL_CLONED(Name) \
  TAPER_DETAIL_QUIET_BEGIN [[deprecated("modules are not copied: use clone()")]]
#if defined(__clang__)
#define TAPER_DETAIL_QUIET_DELETED \
  _Pragma("clang diagnostic ignored \"-Wdefaulted-function-deleted\"")
#define TAPER_DETAIL_NOT_COPIED(Name) \
  __attribute__((unavailable("modules are not copied: use clone()"))) Name(const Name&);
#else
#define TAPER_DETAIL_QUIET_DELETED
#define TAPER_DETAIL_NOT_COPIED(Name) \
  Name(const Name&, ::taper::nn::detail::use_clone = {}) = delete;
#endif

// Declares a name with the access that is in effect, which class_info_of verifies.
#define TAPER_DETAIL_PUBLIC \
  struct taper_access;      \
                            \
 public:

namespace TAPER_API taper {
namespace nn::detail {

/// Enables copying of modules on the current thread during its lifetime. `deep_copy_members()` then
/// replaces the tensors and shared children of the copy by copies, one per identity, so that ties
/// are preserved.
class CloneScope {
 public:
  CloneScope();
  ~CloneScope();
  CloneScope(const CloneScope&) = delete;
  CloneScope& operator=(const CloneScope&) = delete;
  void deep_copy_members(Module& copy);

 private:
  bool outer_;
};

[[noreturn]] void throw_not_copyable(const Module& module);

TAPER_DETAIL_QUIET_BEGIN
/// Returns a deep copy of a module.
template <class M> M clone_module(const M& m) {
  static_assert(std::is_constructible_v<M, M&>,
                "this module has a plain member that cannot be copied, so it cannot be cloned; a "
                "std::optional of a module is one: write nn::Optional");
  CloneScope scope;
  M copy(static_cast<M&>(mutable_of(m)));
  scope.deep_copy_members(copy);
  return copy;
}

/// Returns a copy that shares its tensors and shared children with `m`. Throws RuntimeError if the
/// class is not copyable.
template <class M> std::shared_ptr<Module> shallow_clone(const M& m) {
  if constexpr (std::is_constructible_v<M, M&>)
    return std::make_shared<M>(static_cast<M&>(mutable_of(m)));
  else
    throw_not_copyable(m);
}
TAPER_DETAIL_QUIET_END

}  // namespace nn::detail
}  // namespace taper
