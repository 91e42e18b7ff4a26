// Recovery of a run from exceptions.
#include <fmt/format.h>

#include "taper/autograd/grad_mode.h"
#include "taper/core/warning.h"
#include "taper/ops/copy.h"
#include "train/trainer/trainer_impl.h"

namespace taper::train::detail {

void TrainerImpl::begin_step() {
  step_generators = capture_generators();
  step_buffers.clear();
  for (const nn::NamedTensor& buffer : module.named_buffers())
    step_buffers.push_back(buffer.value.detach().clone());
  phase = Phase::reversible;
}

void TrainerImpl::recover(bool saves) {
  bar.reset();
  const auto attempt = [](const SharedFunction<void()>& action) {
    try {
      action();
    } catch (const std::exception& error) {  // must not replace the exception of the step
      warn(fmt::format("Trainer: the run could not be saved after an error: {}", error.what()));
    }
  };
  attempt([this] { files.wait(); });
  if (phase == Phase::updating) return;
  if (phase == Phase::reversible) {
    // An epoch without completed batches starts again, and so do its random numbers.
    const bool is_started = state.batch > 0 || state.epoch_generators.empty();
    restore_generators(is_started ? step_generators : state.epoch_generators);
    const NoGrad guard;
    const std::vector<nn::NamedTensor> buffers = module.named_buffers();
    for (std::size_t i = 0; i < buffers.size() && i < step_buffers.size(); ++i) {
      Tensor buffer = buffers[i].value;
      if (buffer.shape() == step_buffers[i].shape()) buffer.copy_(step_buffers[i]);
    }
    phase = Phase::complete;
  }
  // Other ranks may have failed at another step, or not at all.
  if (!saves || !ranks().are_alone() || !files.enabled() || !has_unsaved_steps) return;
  attempt([this] {
    unranked_epoch ? save_epoch() : save_checkpoint();
    files.wait();
  });
}

}  // namespace taper::train::detail
