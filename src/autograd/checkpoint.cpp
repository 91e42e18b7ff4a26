#include "taper/autograd/checkpoint.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "autograd/node.h"
#include "core/check.h"
#include "taper/core/generator.h"

namespace taper::nn::utils::detail {

/// Saved inputs and recomputed tensors of a checkpoint. It is a node only for the name that errors
/// about saved tensors report.
class CheckpointFrame final : public Node {
 public:
  CheckpointFrame(std::span<const Tensor> inputs, CheckpointRerun rerun,
                  const CheckpointOptions& options)
      : rerun_(std::move(rerun)) {
    if (options.preserve_rng_state) random_ = get_rng_state();
    // Saved through the hooks that are active around this call, so that an enclosing checkpoint
    // does not retain these inputs.
    for (const Tensor& t : inputs) {
      inputs_.push_back(t.defined() ? SavedVariable(t, false) : SavedVariable());
      wants_grad_.push_back(t.defined() && t.requires_grad());
    }
  }

  std::size_t pack(const Tensor& t) {
    first_.push_back({t.shape(), t.dtype(), t.device()});
    return first_.size() - 1;
  }
  Tensor unpack(std::size_t number) {
    const std::lock_guard guard(mutex_);
    // Each tensor is returned once. With a retained graph, the next backward requests the tensor
    // again, and the function is run again.
    if (number >= second_.size() || !second_[number].defined()) run_again();
    return std::exchange(second_[number], Tensor());
  }

  std::string name() const override { return "checkpoint"; }
  void backward(std::span<Tensor>, std::span<Tensor>) override {}

 private:
  void run_again();
  void compare(const std::vector<Tensor>& again) const;

  CheckpointRerun rerun_;
  std::optional<std::vector<std::uint8_t>> random_;
  std::vector<SavedVariable> inputs_;
  std::vector<bool> wants_grad_;
  std::vector<TensorMeta> first_;
  std::vector<Tensor> second_;
  std::mutex mutex_;
};

void CheckpointFrame::run_again() {
  std::vector<Tensor> inputs, again;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].has_value()) {
      inputs.emplace_back();
      continue;
    }
    const Edge plain;  // an edge without destination: the history is not part of the recomputation
    inputs.push_back(inputs_[i].unpack(*this, &plain, static_cast<std::uint32_t>(i)).detach());
    if (wants_grad_[i]) inputs.back().set_requires_grad();
  }
  std::optional<ForkRng> fork;
  if (random_) {
    fork.emplace();
    set_rng_state(*random_);
  }
  EnableGrad recording;
  const autograd::SavedTensorsHooks collecting(
      [&again](const Tensor& t) {
        again.push_back(t);
        return 0;
      },
      [](int) -> Tensor {
        fail<RuntimeError>("checkpoint: backward was called within the recomputed function");
      });
  rerun_(inputs);
  compare(again);
  second_ = std::move(again);
}

void CheckpointFrame::compare(const std::vector<Tensor>& again) const {
  if (again.size() != first_.size())
    fail<RuntimeError>(
        "checkpoint: A different number of tensors was saved during the original forward and "
        "recomputation.\nNumber of tensors saved during forward: {}\nNumber of tensors saved "
        "during recomputation: {}.",
        first_.size(), again.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    const TensorMeta& was = first_[i];
    const Tensor& is = again[i];
    if (!(is.shape() == was.shape) || is.dtype() != was.dtype || !(is.device() == was.device))
      fail<RuntimeError>(
          "checkpoint: Recomputed values for the following tensors have different metadata than "
          "during the forward pass.\ntensor at position {}: saved {} {} on {}, recomputed {} {} on "
          "{}",
          i, was.dtype, was.shape, was.device, is.dtype(), is.shape(), is.device());
  }
}

std::shared_ptr<CheckpointFrame> open_checkpoint(std::span<const Tensor> inputs,
                                                 CheckpointRerun rerun,
                                                 const CheckpointOptions& options) {
  return std::make_shared<CheckpointFrame>(inputs, std::move(rerun), options);
}
std::size_t checkpoint_pack(CheckpointFrame& frame, const Tensor& t) { return frame.pack(t); }
Tensor checkpoint_unpack(CheckpointFrame& frame, std::size_t number) {
  return frame.unpack(number);
}

}  // namespace taper::nn::utils::detail
