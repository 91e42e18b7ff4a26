// Gradient mode, inference mode and anomaly mode of the current thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "taper/core/api.h"

namespace TAPER_API taper {

struct ErrorContext;

/// Returns true if operations of this thread are recorded. PyTorch: torch.is_grad_enabled.
bool is_grad_enabled();
/// Returns true in inference mode. PyTorch: torch.is_inference_mode_enabled.
bool is_inference_mode_enabled();
/// Returns true in anomaly mode. PyTorch: torch.is_anomaly_enabled.
bool is_anomaly_enabled();

/// Enables or disables the recording of operations for backward on the current thread, for the
/// duration of a scope. PyTorch: torch.set_grad_enabled.
class GradMode {
 public:
  [[nodiscard]] explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool outer_;
};
/// Disables the recording of operations for backward on the current thread, for the duration of a
/// scope: `NoGrad guard;`. PyTorch: torch.no_grad.
struct NoGrad : GradMode {
  [[nodiscard]] NoGrad() : GradMode(false) {}
};
/// Enables the recording of operations for backward on the current thread, for the duration of a
/// scope. PyTorch: torch.enable_grad.
struct EnableGrad : GradMode {
  [[nodiscard]] EnableGrad() : GradMode(true) {}
};
/// Enables inference mode on the current thread for the duration of a scope: operations are not
/// recorded for backward. Tensors created in inference mode do not have a version counter and
/// cannot be saved for backward later. If `enabled` is false, disables inference mode and enables
/// the recording of operations. PyTorch: torch.inference_mode.
class InferenceMode {
 public:
  [[nodiscard]] explicit InferenceMode(bool enabled = true);
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

 private:
  bool outer_inference_, outer_grad_;
};
namespace detail {

/// Disables the fast path of all module calls if nonzero. Bit 0: global hooks exist. Other bits:
/// number of SlowPathScope.
extern std::atomic<std::uint32_t> slow_path_flags;

/// Disables the fast path of all module calls for the duration of a scope.
class SlowPathScope {
 public:
  SlowPathScope() { slow_path_flags.fetch_add(kOne, std::memory_order_relaxed); }
  ~SlowPathScope() { slow_path_flags.fetch_sub(kOne, std::memory_order_relaxed); }
  SlowPathScope(const SlowPathScope&) = delete;
  SlowPathScope& operator=(const SlowPathScope&) = delete;

 private:
  static constexpr std::uint32_t kOne = 2;
};

}  // namespace detail

/// Enables anomaly mode for the duration of a scope: backward passes throw RuntimeError if a
/// gradient that they compute on the CPU contains NaN, unless `check_nan` is false, and errors
/// report the forward operation and the module that ran it.
/// PyTorch: torch.autograd.detect_anomaly.
class DetectAnomaly {
 public:
  [[nodiscard]] explicit DetectAnomaly(bool check_nan = true);
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  unsigned char outer_;
  detail::SlowPathScope slow_path_;
};

namespace detail {

/// Module call on the current thread while anomaly mode is enabled; provides the error context of
/// the nodes that it creates.
struct CallFrame {
  CallFrame* outer;
  std::shared_ptr<const ErrorContext> (*context)(CallFrame& frame);
};
/// Returns a reference to the innermost module call of the current thread, which may be null.
CallFrame*& current_call_frame();

}  // namespace detail
}  // namespace taper
