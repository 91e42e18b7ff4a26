// Activation checkpointing: recomputes intermediate tensors in the backward pass.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/autograd/grad_mode.h"
#include "taper/autograd/saved_tensors.h"
#include "taper/core/api.h"

namespace TAPER_API taper {
namespace nn::utils {

/// Options of checkpoint.
struct CheckpointOptions {
  /// Makes the recomputation draw the same random numbers from the default generator as the first
  /// call.
  bool preserve_rng_state = true;
};

namespace detail {

class CheckpointFrame;
using CheckpointRerun = SharedFunction<void(std::span<const Tensor>)>;

/// Returns the state that is required to recompute one checkpointed call of `rerun`.
std::shared_ptr<CheckpointFrame> make_checkpoint_frame(std::span<const Tensor> inputs,
                                                       CheckpointRerun rerun,
                                                       const CheckpointOptions& options);
/// Returns the index of a tensor that the checkpointed call saves for backward.
std::size_t checkpoint_pack(CheckpointFrame& frame, const Tensor& t);
/// Returns the saved tensor with index `number`; recomputes the call if necessary.
Tensor checkpoint_unpack(CheckpointFrame& frame, std::size_t number);

/// Calls `f` with the inputs as a span and saves only these for backward.
template <class F>
auto checkpoint_span(const CheckpointOptions& options, F f, std::span<const Tensor> inputs) {
  if (!is_grad_enabled()) return f(inputs);
  const auto frame = make_checkpoint_frame(
      inputs, [f](std::span<const Tensor> t) mutable { (void)f(t); }, options);
  const autograd::SavedTensorsHooks hooks(
      [frame](const Tensor& t) { return checkpoint_pack(*frame, t); },
      [frame](std::size_t number) { return checkpoint_unpack(*frame, number); });
  return f(inputs);
}

}  // namespace detail

/// Returns f(inputs...) and saves only the inputs for backward. When backward first requires an
/// intermediate tensor, f is called again. f must compute the same result in both calls and must
/// not modify its inputs; other tensors that it uses, such as parameters of a module, are not
/// saved. Throws RuntimeError in the backward pass if the recomputation saves tensors of different
/// number, shape or dtype. PyTorch: torch.utils.checkpoint.checkpoint with use_reentrant=False.
template <class F, class... T>
requires(std::is_same_v<std::remove_cvref_t<T>, Tensor>&&...) auto checkpoint(
    const CheckpointOptions& options, F f, const T&... inputs) {
  const std::array<Tensor, sizeof...(T)> all{inputs...};
  return detail::checkpoint_span(
      options,
      [f = std::move(f)](std::span<const Tensor> t) mutable {
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return f(t[I]...); }
        (std::index_sequence_for<T...>{});
      },
      all);
}
template <class F, class... T>
requires(!std::is_same_v<std::remove_cvref_t<F>, CheckpointOptions>) auto checkpoint(
    F f, const T&... inputs) {
  return checkpoint(CheckpointOptions{}, std::move(f), inputs...);
}
/// As checkpoint(options, f, inputs...), for a function of a list of tensors: returns f(inputs).
template <class F>
requires(std::is_invocable_v<F&, const std::vector<Tensor>&>) auto checkpoint(
    const CheckpointOptions& options, F f, const std::vector<Tensor>& inputs) {
  return detail::checkpoint_span(
      options,
      [f = std::move(f)](std::span<const Tensor> t) mutable {
        return f(std::vector<Tensor>(t.begin(), t.end()));
      },
      inputs);
}

}  // namespace nn::utils
}  // namespace taper

/// Alias for the functions of torch.utils and torch.nn.utils, so that `utils` is unambiguous with
/// `using namespace taper::nn`.
namespace TAPER_API taper {
namespace utils = nn::utils;
}  // namespace taper
