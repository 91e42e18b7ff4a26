// Whether operations of this thread are recorded.
#pragma once

namespace taper {

bool is_grad_enabled();
bool is_inference_mode_enabled();
bool is_anomaly_enabled();

/// Sets recording for a scope of this thread. PyTorch: torch.set_grad_enabled.
class GradMode {
 public:
  explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool outer_;
};
/// `NoGrad guard;` turns recording off for the scope. PyTorch: torch.no_grad.
struct NoGrad : GradMode {
  NoGrad() : GradMode(false) {}
};
/// PyTorch: torch.enable_grad.
struct EnableGrad : GradMode {
  EnableGrad() : GradMode(true) {}
};
/// Nothing is recorded, and tensors made here can never be saved for backward.
/// PyTorch: torch.inference_mode.
class InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true);
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

 private:
  bool outer_inference_, outer_grad_;
};
/// Backward passes of the scope check each op's gradients for NaN, and errors name the forward op.
/// PyTorch: torch.autograd.detect_anomaly.
class DetectAnomaly {
 public:
  explicit DetectAnomaly(bool check_nan = true);
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  unsigned char outer_;
};

}  // namespace taper
