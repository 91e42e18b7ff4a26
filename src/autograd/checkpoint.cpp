#include "taper/autograd/checkpoint.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "autograd/node.h"
#include "core/check.h"
#include "taper/autograd/autocast.h"
#include "taper/core/generator.h"

namespace taper::nn::utils::detail {

/// Saved inputs and recomputed tensors of a checkpoint. It is a node only for the name that errors
/// about saved tensors report.
class CheckpointFrame final : public Node {
 public:
  CheckpointFrame(std::span<const Tensor> inputs, CheckpointRerun rerun,
                  const CheckpointOptions& options)
      : rerun_(std::move(rerun)) {
    if (options.preserve_rng_state) rng_state_ = get_rng_state();
    autocast_ = {.dtype = get_autocast_dtype(),
                 .enabled = is_autocast_enabled(),
                 .cache_enabled = is_autocast_cache_enabled()};
    // Saved through the hooks that are active around this call, so that an enclosing checkpoint
    // does not retain these inputs.
    for (const Tensor& t : inputs) {
      inputs_.push_back(t.defined() ? SavedVariable(t, false) : SavedVariable());
      requires_grad_.push_back(t.defined() && t.requires_grad());
    }
  }

  std::size_t pack(const Tensor& t) {
    saved_metas_.push_back({t.shape(), t.dtype(), t.device()});
    return saved_metas_.size() - 1;
  }
  Tensor unpack(std::size_t number) {
    const std::lock_guard guard(mutex_);
    // Each tensor is returned once. With a retained graph, the next backward requests the tensor
    // again, and the function is run again.
    if (number >= recomputed_.size() || !recomputed_[number].defined()) recompute();
    return std::exchange(recomputed_[number], Tensor());
  }

  std::string name() const override { return "checkpoint"; }
  void backward(std::span<Tensor>, std::span<Tensor>) override {}

 private:
  void recompute();
  void check_recomputed(const std::vector<Tensor>& recomputed) const;

  CheckpointRerun rerun_;
  std::optional<std::vector<std::uint8_t>> rng_state_;
  amp::AutocastOptions autocast_;
  std::vector<SavedVariable> inputs_;
  std::vector<bool> requires_grad_;
  std::vector<TensorMeta> saved_metas_;
  std::vector<Tensor> recomputed_;
  std::mutex mutex_;
};

void CheckpointFrame::recompute() {
  std::vector<Tensor> inputs, recomputed;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].has_value()) {
      inputs.emplace_back();
      continue;
    }
    const Edge
        no_edge;  // an edge without destination: the history is not part of the recomputation
    inputs.push_back(inputs_[i].unpack(*this, &no_edge, static_cast<std::uint32_t>(i)).detach());
    if (requires_grad_[i]) inputs.back().set_requires_grad();
  }
  std::optional<ForkRng> fork;
  if (rng_state_) {
    fork.emplace();
    set_rng_state(*rng_state_);
  }
  EnableGrad enable_grad;
  const amp::Autocast autocast(autocast_);
  const autograd::SavedTensorsHooks saved_hooks(
      [&recomputed](const Tensor& t) {
        recomputed.push_back(t);
        return 0;
      },
      [](int) -> Tensor {
        fail<RuntimeError>("checkpoint: backward was called within the recomputed function");
      });
  rerun_(inputs);
  check_recomputed(recomputed);
  recomputed_ = std::move(recomputed);
}

void CheckpointFrame::check_recomputed(const std::vector<Tensor>& recomputed) const {
  if (recomputed.size() != saved_metas_.size())
    fail<RuntimeError>(
        "checkpoint: A different number of tensors was saved during the original forward and "
        "recomputation.\nNumber of tensors saved during forward: {}\nNumber of tensors saved "
        "during recomputation: {}.",
        saved_metas_.size(), recomputed.size());
  for (std::size_t i = 0; i < recomputed.size(); ++i) {
    const TensorMeta& expected = saved_metas_[i];
    const Tensor& actual = recomputed[i];
    if (!(actual.shape() == expected.shape) || actual.dtype() != expected.dtype ||
        !(actual.device() == expected.device))
      fail<RuntimeError>(
          "checkpoint: Recomputed values for the following tensors have different metadata than "
          "during the forward pass.\ntensor at position {}: saved {} {} on {}, recomputed {} {} on "
          "{}",
          i, expected.dtype, expected.shape, expected.device, actual.dtype(), actual.shape(),
          actual.device());
  }
}

std::shared_ptr<CheckpointFrame> make_checkpoint_frame(std::span<const Tensor> inputs,
                                                       CheckpointRerun rerun,
                                                       const CheckpointOptions& options) {
  return std::make_shared<CheckpointFrame>(inputs, std::move(rerun), options);
}
std::size_t checkpoint_pack(CheckpointFrame& frame, const Tensor& t) { return frame.pack(t); }
Tensor checkpoint_unpack(CheckpointFrame& frame, std::size_t number) {
  return frame.unpack(number);
}

}  // namespace taper::nn::utils::detail
