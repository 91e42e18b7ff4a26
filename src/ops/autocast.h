// Casts of inputs under amp::Autocast.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/thread_local_state.h"
#include "taper/core/optional_tensor.h"

namespace taper {
class OptionalTensor;

/// Dtype in which an operation computes under amp::Autocast.
enum class AutocastPolicy : std::uint8_t {
  passthrough,      ///< that of its inputs
  lower_precision,  ///< get_autocast_dtype()
  f32,              ///< float32
  promote           ///< float32 if an input is float32, else get_autocast_dtype()
};

/// Disables autocast for the duration of a scope, in which an operation computes on cast inputs.
class AutocastPause {
 public:
  AutocastPause() : outer_(std::exchange(tls.autocast, false)) {}
  ~AutocastPause() { tls.autocast = outer_; }
  AutocastPause(const AutocastPause&) = delete;
  AutocastPause& operator=(const AutocastPause&) = delete;

 private:
  bool outer_;
};

/// Returns the tensors in the dtype in which an operation with this policy computes. Undefined
/// tensors, and those that autocast does not cast, are returned unchanged.
std::vector<Tensor> autocast_inputs(AutocastPolicy policy, std::vector<Tensor> tensors);

/// Returns an argument of a function with a policy: tensors in the dtype in which it computes, all
/// others unchanged.
Tensor autocast_argument(AutocastPolicy policy, const Tensor& x);
std::optional<Tensor> autocast_argument(AutocastPolicy policy, const std::optional<Tensor>& x);
std::optional<Tensor> autocast_argument(AutocastPolicy policy, OptionalTensorRef x);
OptionalTensor autocast_argument(AutocastPolicy policy, const OptionalTensor& x);
std::vector<Tensor> autocast_argument(AutocastPolicy policy, std::span<const Tensor> tensors);
template <class T> const T& autocast_argument(AutocastPolicy, const T& other) { return other; }

/// Calls a function of several ops, which has a policy as a whole, with cast arguments. The first
/// line of such a function calls it again:
///
///     if (tls.autocast) return autocast_call(AutocastPolicy::f32, kl_div, x, target, ...);
///
/// The policy `passthrough` casts nothing, also within the function.
template <class F, class... A>
auto autocast_call(AutocastPolicy policy, const F& function, const A&... arguments) {
  const auto cast = std::tuple<decltype(autocast_argument(policy, arguments))...>(
      autocast_argument(policy, arguments)...);
  const AutocastPause pause;
  return std::apply(function, cast);
}

}  // namespace taper
