// Activation checkpointing: computing again in the backward pass what was not kept.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "taper/autograd/grad_mode.h"
#include "taper/autograd/saved_tensors.h"
#include "taper/core/api.h"

namespace TAPER_API taper {
namespace nn::utils {

struct CheckpointOptions {
  /// The second run draws the random numbers of the first from the default generator.
  bool preserve_rng_state = true;
};

namespace detail {

class CheckpointFrame;
using CheckpointRerun = Function<void(std::span<const Tensor>)>;

/// What one checkpointed call needs to run again.
std::shared_ptr<CheckpointFrame> open_checkpoint(std::span<const Tensor> inputs,
                                                 CheckpointRerun rerun,
                                                 const CheckpointOptions& options);
/// Keeps nothing for a tensor but its number, and gets it by running again.
std::size_t checkpoint_pack(CheckpointFrame& frame, const Tensor& t);
Tensor checkpoint_unpack(CheckpointFrame& frame, std::size_t number);

}  // namespace detail

/// f(inputs...), keeping only the inputs for backward: when that first needs a tensor, f runs again
/// on the same elements. f must compute the same both times, and must not change the inputs; other
/// tensors it uses (parameters of a module, say) are not kept, just used again. Throws RuntimeError
/// in backward when the second run keeps other tensors than the first. PyTorch:
/// torch.utils.checkpoint.checkpoint(..., use_reentrant=False).
template <class F, class... T>
requires(std::is_same_v<std::remove_cvref_t<T>, Tensor>&&...) auto checkpoint(
    const CheckpointOptions& options, F f, const T&... inputs) {
  const auto run = [](F& function, std::span<const Tensor> t) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return function(t[I]...); }
    (std::index_sequence_for<T...>{});
  };
  const std::array<Tensor, sizeof...(T)> all{inputs...};
  if (!is_grad_enabled()) return run(f, all);
  const auto frame = detail::open_checkpoint(
      all, [f, run](std::span<const Tensor> t) mutable { (void)run(f, t); }, options);
  const autograd::SavedTensorsHooks hooks(
      [frame](const Tensor& t) { return detail::checkpoint_pack(*frame, t); },
      [frame](std::size_t number) { return detail::checkpoint_unpack(*frame, number); });
  return run(f, all);
}
template <class F, class... T>
requires(!std::is_same_v<std::remove_cvref_t<F>, CheckpointOptions>) auto checkpoint(
    F f, const T&... inputs) {
  return checkpoint(CheckpointOptions{}, std::move(f), inputs...);
}

}  // namespace nn::utils
}  // namespace taper

/// torch.utils and torch.nn.utils in one, so that `utils` is not ambiguous beside
/// `using namespace taper::nn`.
namespace TAPER_API taper {
namespace utils = nn::utils;
}  // namespace taper
