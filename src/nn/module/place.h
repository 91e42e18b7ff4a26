// Where in a network a call is.
#pragma once
#include <optional>

#include "taper/autograd/grad_mode.h"
#include "taper/nn/hooks.h"

namespace taper::nn {

/// The tensors among arguments; null for what is none.
std::vector<const Tensor*> tensors_of(const Values& args);

/// While anomaly mode is on: a call in progress, so that nodes made below know where they belong.
class WatchedCall {
 public:
  explicit WatchedCall(HookCall& call);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;

 private:
  struct Frame final : taper::detail::CallFrame {
    HookCall* call;
    std::shared_ptr<const ErrorPlace> made;
    static std::shared_ptr<const ErrorPlace> describe(taper::detail::CallFrame& frame);
  };
  std::optional<Frame> frame_;
};

}  // namespace taper::nn
