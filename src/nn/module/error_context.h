// Error context of calls: the arguments, and the innermost call in anomaly mode.
#pragma once
#include <optional>

#include "taper/autograd/grad_mode.h"
#include "taper/nn/hooks.h"

namespace taper::nn {

/// Returns a pointer to the tensor in each argument; null for other arguments.
std::vector<const Tensor*> tensors_of(const Values& args);

/// Returns the path from `root` to `wanted`, followed by `below`. A module that is not registered
/// appears as `class_name` in angle brackets.
std::string path_to(const Module& root, const void* wanted, const std::string& class_name,
                    const std::string& below = "");

/// A call in progress in anomaly mode. Nodes created during it record its context.
class AnomalyFrame {
 public:
  explicit AnomalyFrame(HookCall& call);
  ~AnomalyFrame();
  AnomalyFrame(const AnomalyFrame&) = delete;
  AnomalyFrame& operator=(const AnomalyFrame&) = delete;

 private:
  struct Frame final : taper::detail::CallFrame {
    HookCall* call;
    std::shared_ptr<const ErrorContext> cached_context;
    static std::shared_ptr<const ErrorContext> describe(taper::detail::CallFrame& frame);
  };
  std::optional<Frame> frame_;
};

}  // namespace taper::nn
