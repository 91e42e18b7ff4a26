#include "taper/autograd/grad_mode.h"

#include <utility>

#include "core/ambient.h"
#include "taper/core/warning.h"

namespace taper {

bool is_grad_enabled() { return ambient.grad; }
bool is_inference_mode_enabled() { return ambient.inference; }
bool is_anomaly_enabled() { return ambient.anomaly != 0; }

GradMode::GradMode(bool enabled) : outer_(std::exchange(ambient.grad, enabled)) {}
GradMode::~GradMode() { ambient.grad = outer_; }

InferenceMode::InferenceMode(bool enabled)
    : outer_inference_(std::exchange(ambient.inference, enabled)),
      outer_grad_(std::exchange(ambient.grad, !enabled && ambient.grad)) {}
InferenceMode::~InferenceMode() {
  ambient.inference = outer_inference_, ambient.grad = outer_grad_;
}

DetectAnomaly::DetectAnomaly(bool check_nan)
    : outer_(std::exchange(ambient.anomaly, check_nan ? std::uint8_t{2} : std::uint8_t{1})) {
  warn(
      "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
      "enabled for debugging.");
  detail::watched_calls.fetch_add(2, std::memory_order_relaxed);
}
DetectAnomaly::~DetectAnomaly() {
  ambient.anomaly = outer_;
  detail::watched_calls.fetch_sub(2, std::memory_order_relaxed);
}

std::atomic<std::uint32_t> detail::watched_calls{0};

detail::CallFrame*& detail::innermost_call() {
  thread_local CallFrame* innermost = nullptr;
  return innermost;
}

}  // namespace taper
