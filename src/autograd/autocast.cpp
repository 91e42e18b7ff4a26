#include "taper/autograd/autocast.h"

#include "autograd/autocast.h"
#include "core/check.h"
#include "core/dtype_table.h"
#include "core/per_thread.h"
#include "core/thread_local_state.h"
#include "taper/core/warning.h"

namespace taper {
bool is_autocast_enabled() { return tls.autocast; }
void set_autocast_enabled(bool enabled) { tls.autocast = enabled; }
DType get_autocast_dtype() { return amp::autocast_state().dtype; }
void set_autocast_dtype(DType dtype) {
  if (!is_floating_point(dtype))
    fail<ValueError>("set_autocast_dtype: expected a floating-point dtype, got {}", dtype);
  amp::autocast_state().dtype = dtype;
}
bool is_autocast_cache_enabled() { return amp::autocast_state().cache_enabled; }
void set_autocast_cache_enabled(bool enabled) { amp::autocast_state().cache_enabled = enabled; }
void clear_autocast_cache() { amp::autocast_state().casts.clear(); }

namespace amp {

AutocastState& autocast_state() { return PerThread<AutocastState>::get(); }

bool is_autocast_available(Device device) { return device == Device::cpu(); }

bool is_autocast_eligible(const Tensor& x) {
  return x.defined() && x.is_floating_point() && x.dtype() != DType::f64 &&
         x.device() == Device::cpu();
}

Tensor autocast_to(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  AutocastState& state = autocast_state();
  const bool cached = state.cache_enabled && dtype == state.dtype && x.dtype() == DType::f32 &&
                      x.requires_grad() && x.is_leaf() && !x.is_view();
  if (!cached) return x.to(dtype);
  const std::pair<const TensorImpl*, DType> key{x.impl(), dtype};
  if (const auto found = state.casts.find(key); found != state.casts.end())
    return found->second.result;
  Tensor cast = x.to(dtype);
  // A cast without history would end the gradient of later operations.
  if (tls.grad) state.casts[key] = {Ref<TensorImpl>::share(x.impl()), cast};
  return cast;
}

Autocast::Autocast(const AutocastOptions& options)
    : outer_enabled_(is_autocast_enabled()),
      outer_cache_enabled_(is_autocast_cache_enabled()),
      outer_dtype_(get_autocast_dtype()) {
  AutocastState& state = autocast_state();
  const DType dtype = options.dtype.value_or(state.dtype);
  bool enabled = options.enabled;
  if (!is_floating_point(dtype))
    fail<ValueError>("Autocast: expected a floating-point dtype, got {}", dtype);
  if (enabled && !is_reduced_floating_point(dtype)) {
    warn(
        "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast "
        "only supports dtype of torch.bfloat16, torch.float16 currently.");
    enabled = false;
  }
  tls.autocast = enabled;
  state.dtype = dtype;
  state.cache_enabled = options.cache_enabled.value_or(state.cache_enabled);
  ++state.depth;
}

Autocast::~Autocast() {
  AutocastState& state = autocast_state();
  tls.autocast = outer_enabled_;
  state.dtype = outer_dtype_;
  state.cache_enabled = outer_cache_enabled_;
  if (--state.depth == 0) state.casts.clear();
}

namespace detail {

bool enter_custom_fwd(autograd::Context& ctx, const CustomFwdOptions& options) {
  const bool casts = options.cast_inputs && is_autocast_enabled();
  ctx.forward_autocast = {is_autocast_enabled() && !options.cast_inputs, get_autocast_dtype()};
  return casts;
}

AutocastOptions backward_autocast(const autograd::Context& ctx) {
  return {.dtype = ctx.forward_autocast.dtype,
          .enabled = ctx.forward_autocast.enabled,
          .cache_enabled = {}};
}

Tensor cast_input(const Tensor& input, DType dtype) {
  return is_autocast_eligible(input) ? input.to(dtype) : input;
}

}  // namespace detail
}  // namespace amp
}  // namespace taper
