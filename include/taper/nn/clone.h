// Deep copies of modules.
#pragma once
#include <memory>
#include <type_traits>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

// How a class of modules is copied by clone() only. What C++ copies member by member it copies by a
// copy constructor, of the members too, so there is one: for what is not const, while all else
// takes const. Direct use of it is answered by a warning, and by a RuntimeError unless a clone()
// runs.
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

// A name with the access that was in effect, see class_info_of.
#define TAPER_DETAIL_PUBLIC \
  struct taper_access;      \
                            \
 public:

namespace TAPER_API taper {
namespace nn::detail {

/// While one lives, modules of this thread can be copied; separate() then gives the copy tensors
/// and shared children of its own, once per identity, so that ties stay ties.
class CloneScope {
 public:
  CloneScope();
  ~CloneScope();
  CloneScope(const CloneScope&) = delete;
  CloneScope& operator=(const CloneScope&) = delete;
  void separate(Module& copy);

 private:
  bool outer_;
};

[[noreturn]] void throw_not_copyable(const Module& module);

TAPER_DETAIL_QUIET_BEGIN
template <class M> M clone_of(const M& m) {
  static_assert(std::is_constructible_v<M, M&>,
                "this module has a plain member that cannot be copied, so it cannot be cloned; a "
                "std::optional of a module is one: write nn::Optional");
  CloneScope scope;
  M copy(static_cast<M&>(mutable_of(m)));
  scope.separate(copy);
  return copy;
}

template <class M> std::shared_ptr<Module> shallow_clone(const M& m) {
  if constexpr (std::is_constructible_v<M, M&>)
    return std::make_shared<M>(static_cast<M&>(mutable_of(m)));
  else
    throw_not_copyable(m);
}
TAPER_DETAIL_QUIET_END

}  // namespace nn::detail
}  // namespace taper
