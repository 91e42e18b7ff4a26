// Autocast: automatic choice of the dtype of operations. PyTorch: torch.amp.
#pragma once
#include <optional>
#include <utility>

#include "taper/autograd/function.h"
#include "taper/core/api.h"

namespace TAPER_API taper {

/// Returns true within a scope of amp::Autocast. PyTorch: torch.is_autocast_enabled("cpu").
bool is_autocast_enabled();
/// Enables or disables autocast on the current thread. PyTorch: torch.set_autocast_enabled.
void set_autocast_enabled(bool enabled);
/// Returns the dtype of operations with lower precision; bfloat16 by default.
/// PyTorch: torch.get_autocast_dtype("cpu").
DType get_autocast_dtype();
/// Sets the dtype of operations with lower precision on the current thread. Throws ValueError if it
/// is not a floating-point dtype. PyTorch: torch.set_autocast_dtype.
void set_autocast_dtype(DType dtype);
/// Returns true if casts of parameters are kept until the end of the outermost scope; the default.
/// PyTorch: torch.is_autocast_cache_enabled.
bool is_autocast_cache_enabled();
/// Enables or disables the cache of casts on the current thread.
/// PyTorch: torch.set_autocast_cache_enabled.
void set_autocast_cache_enabled(bool enabled);
/// Drops the casts that the current thread keeps. PyTorch: torch.clear_autocast_cache.
void clear_autocast_cache();

/// Automatic mixed precision. PyTorch: torch.amp.
namespace amp {

/// Returns true if autocast supports the type of `device`. PyTorch:
/// torch.amp.is_autocast_available.
bool is_autocast_available(Device device);

/// Options of Autocast.
struct AutocastOptions {
  /// Dtype of operations with lower precision, bfloat16 or float16; by default get_autocast_dtype.
  /// With another floating-point dtype the scope warns and disables autocast.
  std::optional<DType> dtype{};
  bool enabled = true;  ///< false: operations of the scope do not cast
  /// Keeps casts of parameters until the end of the outermost scope; by default
  /// is_autocast_cache_enabled.
  std::optional<bool> cache_enabled{};
};

/// Casts the inputs of operations on the current thread for the duration of a scope:
/// `amp::Autocast guard({.dtype = bfloat16});`. Matrix products, convolutions and attention compute
/// in `dtype`, most losses, decompositions and some reductions in float32, and all others in the
/// dtype of their inputs. Inputs of float64, integers and operations in place are never cast. The
/// forward pass and the loss belong into the scope, backward after it.
///
/// A float32 leaf that requires a gradient is cast once per outermost scope, so that a later change
/// of its elements is not seen within the scope. PyTorch: torch.amp.autocast("cpu").
class Autocast {
 public:
  /// Throws ValueError if the dtype is not a floating-point dtype.
  [[nodiscard]] explicit Autocast(const AutocastOptions& options = {});
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool outer_enabled_, outer_cache_enabled_;
  DType outer_dtype_;
};

/// Options of custom_fwd.
struct CustomFwdOptions {
  /// Within a scope of Autocast, casts floating-point inputs, except float64, to this dtype and
  /// runs forward and backward without autocast.
  std::optional<DType> cast_inputs{};
};

namespace detail {

/// Stores the state of autocast for the backward pass of `ctx`. Returns true if the inputs of
/// forward are cast.
bool enter_custom_fwd(autograd::Context& ctx, const CustomFwdOptions& options);
/// Returns the options of the scope in which backward runs.
AutocastOptions backward_autocast(const autograd::Context& ctx);
/// Returns `input` in `dtype` if it is a tensor that autocast may cast.
Tensor cast_input(const Tensor& input, DType dtype);
template <class T> T cast_input(const T& input, DType dtype) {
  if constexpr (std::is_base_of_v<Tensor, T>)
    return cast_input(static_cast<const Tensor&>(input), dtype);
  else
    return input;
}

}  // namespace detail

/// Returns forward(inputs...) and stores the state of autocast for custom_bwd. For use in the
/// forward function of an autograd::Function:
///
///     static Tensor forward(Context& ctx, const Tensor& a, const Tensor& b) {
///       return amp::custom_fwd(ctx, {.cast_inputs = float32}, [&](Tensor a, Tensor b) { ... }, a,
///                              b);
///     }
///
/// PyTorch: torch.amp.custom_fwd.
template <class F, class... T> auto custom_fwd(autograd::Context& ctx,
                                               const CustomFwdOptions& options, F&& forward,
                                               const T&... inputs) {
  if (!detail::enter_custom_fwd(ctx, options)) return forward(inputs...);
  const Autocast disabled({.enabled = false});
  return forward(detail::cast_input(inputs, *options.cast_inputs)...);
}

/// Returns backward(), called with the state of autocast that custom_fwd stored.
/// PyTorch: torch.amp.custom_bwd.
template <class F> auto custom_bwd(const autograd::Context& ctx, F&& backward) {
  const Autocast scope(detail::backward_autocast(ctx));
  return backward();
}

}  // namespace amp
}  // namespace taper
