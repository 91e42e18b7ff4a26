// AveragedModel and update_bn: weight averaging. PyTorch: torch.optim.swa_utils.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace optim {

/// Returns the new average of a tensor from the previous average, the current value and the number
/// of averaged models (0-dimensional int64).
using AvgFn = SharedFunction<Tensor(const Tensor& averaged, const Tensor& current,
                                    const Tensor& num_averaged)>;
/// Updates the averages of tensors of the same device and dtype in place, from the current values
/// and the number of averaged models (0-dimensional int64).
using MultiAvgFn = SharedFunction<void(
    std::span<const Tensor> averaged, std::span<const Tensor> current, const Tensor& num_averaged)>;

/// Return functions that update an arithmetic mean:
/// averaged + (current - averaged) / (num_averaged + 1).
/// PyTorch: torch.optim.swa_utils.get_swa_avg_fn, torch.optim.swa_utils.get_swa_multi_avg_fn.
AvgFn get_swa_avg_fn();
MultiAvgFn get_swa_multi_avg_fn();
/// Return functions that update an exponential moving average:
/// decay * averaged + (1 - decay) * current. Throw ValueError if the decay is not in [0, 1].
/// PyTorch: torch.optim.swa_utils.get_ema_avg_fn, torch.optim.swa_utils.get_ema_multi_avg_fn.
AvgFn get_ema_avg_fn(FloatArg decay = 0.999);
MultiAvgFn get_ema_multi_avg_fn(FloatArg decay = 0.999);

/// Options of AveragedModel. At most one of avg_fn and multi_avg_fn may be set; default: the
/// arithmetic mean.
struct AveragedModelOptions {
  std::optional<Device> device{};  ///< device of the average; default: that of the model
  AvgFn avg_fn{};                  ///< updates the average of one tensor
  MultiAvgFn multi_avg_fn{};       ///< updates the averages of all tensors of a device and dtype
  bool use_buffers = false;        ///< averages the buffers instead of copying them
};

/// Copy of a model whose parameters are averages of the parameters of the model. State: n_averaged
/// (0-dimensional int64) and the copy, with the prefix `module.`.
/// PyTorch: torch.optim.swa_utils.AveragedModel.
///
///   optim::AveragedModel ema(net, {.multi_avg_fn = optim::get_ema_multi_avg_fn(0.999)});
///   ...  optimizer.step(); ema.update_parameters(net);
///   Tensor y = ema(x);
class AveragedModel : public nn::Layer<AveragedModel> {
 public:
  /// Copies `model`. Throws AssertionError if both averaging functions are set.
  explicit AveragedModel(const nn::Module& model, const AveragedModelOptions& options = {});

  nn::Buffer n_averaged;
  std::shared_ptr<nn::Module> module;
  AvgFn avg_fn;
  MultiAvgFn multi_avg_fn;
  bool use_buffers;
  TAPER_LAYER(AveragedModel)

  /// Returns the result of the averaged model for one tensor; use `call` for other arguments.
  Tensor forward(const Tensor& input) const { return (*module)(input); }
  Value forward_kwargs(Values& args, const Value& kwargs) override;
  /// Updates the averages with the parameters of `model`; the first call copies them. Buffers that
  /// are not averaged are copied from the model. Throws ValueError, without any change, if the
  /// number or the shapes of its tensors differ.
  /// PyTorch: torch.optim.swa_utils.AveragedModel.update_parameters.
  void update_parameters(const nn::Module& model);
};

namespace detail {

/// Prepares the batch normalization layers of a model to compute cumulative averages over all
/// batches. The destructor restores their momentum and the mode of the model.
class BatchNormUpdate {
 public:
  explicit BatchNormUpdate(nn::Module& model);
  ~BatchNormUpdate();
  BatchNormUpdate(const BatchNormUpdate&) = delete;
  BatchNormUpdate& operator=(const BatchNormUpdate&) = delete;
  /// Returns true if the model does not contain batch normalization layers.
  bool empty() const { return norms_.empty(); }
  /// Calls the model with `input`, which is moved to `device` if one is given, without recording.
  void run(const Tensor& input, const std::optional<Device>& device);

 private:
  nn::Module& model_;
  bool was_training_;
  std::vector<std::pair<nn::BatchNormBase*, std::optional<double>>> norms_;
};

/// Returns the input in a batch: the batch if it is a tensor, otherwise its first element.
template <class B> Tensor input_of(const B& batch) {
  if constexpr (std::is_convertible_v<const B&, const Tensor&>)
    return batch;
  else if constexpr (std::is_same_v<B, std::vector<Tensor>>)
    return batch.at(0);
  else
    return std::get<0>(batch);
}

}  // namespace detail

/// Recomputes the running statistics of all batch normalization layers of `model` in one pass over
/// `loader`. The batches must be tensors, or tuples, pairs or vectors whose first element is a
/// tensor. If `device` is given, the inputs are moved to it.
/// PyTorch: torch.optim.swa_utils.update_bn.
template <class Loader>
void update_bn(Loader&& loader, nn::Module& model, const std::optional<Device>& device = {}) {
  detail::BatchNormUpdate update(model);
  if (update.empty()) return;
  for (auto&& batch : loader) update.run(detail::input_of(batch), device);
}

}  // namespace optim
}  // namespace taper
