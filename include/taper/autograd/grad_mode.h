// Whether operations of this thread are recorded.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "taper/core/api.h"

namespace TAPER_API taper {

struct ErrorPlace;

bool is_grad_enabled();
bool is_inference_mode_enabled();
bool is_anomaly_enabled();

/// Sets recording for a scope of this thread. PyTorch: torch.set_grad_enabled.
class GradMode {
 public:
  [[nodiscard]] explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool outer_;
};
/// `NoGrad guard;` turns recording off for the scope. PyTorch: torch.no_grad.
struct NoGrad : GradMode {
  [[nodiscard]] NoGrad() : GradMode(false) {}
};
/// PyTorch: torch.enable_grad.
struct EnableGrad : GradMode {
  [[nodiscard]] EnableGrad() : GradMode(true) {}
};
/// Nothing is recorded, and tensors made here can never be saved for backward.
/// PyTorch: torch.inference_mode.
class InferenceMode {
 public:
  [[nodiscard]] explicit InferenceMode(bool enabled = true);
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

 private:
  bool outer_inference_, outer_grad_;
};
/// Backward passes of the scope check each op's gradients for NaN, and errors name the forward op
/// and the module that ran it.
/// PyTorch: torch.autograd.detect_anomaly.
class DetectAnomaly {
 public:
  [[nodiscard]] explicit DetectAnomaly(bool check_nan = true);
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  unsigned char outer_;
};

namespace detail {

/// A module call that runs on this thread while anomaly mode is on: where in the network the nodes
/// are that it makes.
struct CallFrame {
  CallFrame* outer;
  std::shared_ptr<const ErrorPlace> (*place)(CallFrame& frame);
};
/// The innermost such call, or null.
CallFrame*& innermost_call();

/// Nonzero takes the calls of all modules off their fast path: bit 0 while there are global hooks,
/// the bits above count the scopes of anomaly mode.
extern std::atomic<std::uint32_t> watched_calls;

}  // namespace detail
}  // namespace taper
