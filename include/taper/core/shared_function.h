// SharedFunction: copyable, type-erased callable; a lightweight alternative to std::function.
#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "taper/core/api.h"

namespace TAPER_API taper {

template <class Signature> class SharedFunction;

/// Type-erased callable with signature `R(A...)`, or empty. Copies share the callable.
template <class R, class... A> class SharedFunction<R(A...)> {
 public:
  SharedFunction() noexcept = default;
  SharedFunction(std::nullptr_t) noexcept {}
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, SharedFunction> &&
           std::is_invocable_r_v<R, std::decay_t<F>&, A...>) SharedFunction(F&& f)
      : callable_(std::make_shared<std::decay_t<F>>(std::forward<F>(f))),
        call_([](void* callable, A... a) -> R {
          return static_cast<R>((*static_cast<std::decay_t<F>*>(callable))(std::forward<A>(a)...));
        }) {}
  explicit operator bool() const noexcept { return call_ != nullptr; }
  R operator()(A... a) const { return call_(callable_.get(), std::forward<A>(a)...); }
  /// Returns a pointer to the callable; null if the function is empty.
  void* target() const noexcept { return callable_.get(); }

 private:
  std::shared_ptr<void> callable_;
  R (*call_)(void*, A...) = nullptr;
};

}  // namespace taper
