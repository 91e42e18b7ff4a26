#include "taper/autograd/grad_mode.h"

#include <utility>

#include "core/thread_local_state.h"
#include "taper/core/warning.h"

namespace taper {

bool is_grad_enabled() { return tls.grad; }
bool is_inference_mode_enabled() { return tls.inference; }
bool is_anomaly_enabled() { return tls.anomaly != 0; }

GradMode::GradMode(bool enabled) : outer_(std::exchange(tls.grad, enabled)) {}
GradMode::~GradMode() { tls.grad = outer_; }

InferenceMode::InferenceMode(bool enabled)
    : outer_inference_(std::exchange(tls.inference, enabled)),
      outer_grad_(std::exchange(tls.grad, !enabled)) {}
InferenceMode::~InferenceMode() { tls.inference = outer_inference_, tls.grad = outer_grad_; }

DetectAnomaly::DetectAnomaly(bool check_nan)
    : outer_(std::exchange(tls.anomaly, check_nan ? std::uint8_t{2} : std::uint8_t{1})) {
  warn(
      "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
      "enabled for debugging.");
}
DetectAnomaly::~DetectAnomaly() { tls.anomaly = outer_; }

std::atomic<std::uint32_t> detail::slow_path_flags{0};

detail::CallFrame*& detail::current_call_frame() {
  thread_local CallFrame* innermost = nullptr;
  return innermost;
}

}  // namespace taper
