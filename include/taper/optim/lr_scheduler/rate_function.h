// RateFunction: user-defined factor of a schedule.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace optim::lr_scheduler {

/// Callable object whose state is part of the state dict of its scheduler.
template <class F>
concept StatefulFunction = requires(F& f, const Value& state) {
  { f.state_dict() } -> std::convertible_to<Value>;
  f.load_state_dict(state);
};

/// Function that returns a factor for an epoch, an iteration or a cycle. Copies share the callable.
/// A default-constructed function is empty and must not be called.
template <class Argument> class RateFunction {
 public:
  RateFunction() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, RateFunction> &&
           std::is_invocable_r_v<double, std::decay_t<F>&, Argument>) RateFunction(F&& f) {
    auto held = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
    if constexpr (StatefulFunction<std::decay_t<F>>) {
      save_ = [held]() -> Value { return held->state_dict(); };
      load_ = [held](const Value& state) { held->load_state_dict(state); };
    }
    call_ = [held](Argument x) { return static_cast<double>((*held)(x)); };
  }
  explicit operator bool() const noexcept { return static_cast<bool>(call_); }
  double operator()(Argument x) const { return call_(x); }

  /// Returns the state of a callable with `state_dict` and `load_state_dict`; otherwise None.
  Value state() const { return save_ ? save_() : Value(); }
  /// Restores the state of a callable with `state_dict` and `load_state_dict`; otherwise does
  /// nothing.
  void load_state(const Value& state) const {
    if (load_) load_(state);
  }

 private:
  SharedFunction<double(Argument)> call_;
  SharedFunction<Value()> save_;
  SharedFunction<void(const Value&)> load_;
};

/// Function that returns a factor for an epoch.
using LRLambda = RateFunction<std::int64_t>;

/// One function for all parameter groups, or a list with a function per group.
class LRLambdas {
 public:
  template <class F>
  requires std::is_invocable_r_v < double, std::decay_t<F>
  &, std::int64_t > LRLambdas(F&& f) : functions_{LRLambda(std::forward<F>(f))}, is_list_(false) {}
  LRLambdas(std::initializer_list<LRLambda> list);
  LRLambdas(std::vector<LRLambda> list);

  bool is_list() const { return is_list_; }
  const std::vector<LRLambda>& functions() const { return functions_; }

 private:
  std::vector<LRLambda> functions_;
  bool is_list_;
};

}  // namespace optim::lr_scheduler
}  // namespace taper
