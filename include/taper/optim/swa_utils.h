// Averages of a model's weights over training. PyTorch: torch.optim.swa_utils.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/function.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace optim {

/// The new average of one tensor, from the old one, the model's, and how many were averaged (0-dim
/// int64).
using AvgFn =
    Function<Tensor(const Tensor& averaged, const Tensor& current, const Tensor& num_averaged)>;
/// The same for tensors of one device and dtype, in place.
using MultiAvgFn = Function<void(std::span<const Tensor> averaged, std::span<const Tensor> current,
                                 const Tensor& num_averaged)>;

/// averaged + (current - averaged) / (num_averaged + 1): the plain mean.
AvgFn get_swa_avg_fn();
MultiAvgFn get_swa_multi_avg_fn();
/// decay * averaged + (1 - decay) * current. Throws ValueError for a decay outside of [0, 1].
AvgFn get_ema_avg_fn(double decay = 0.999);
MultiAvgFn get_ema_multi_avg_fn(double decay = 0.999);

struct AveragedModelOptions {
  std::optional<Device> device{};  ///< of the average; default: the model's
  AvgFn avg_fn{};                  ///< at most one of the two; default: the plain mean
  MultiAvgFn multi_avg_fn{};
  bool use_buffers = false;  ///< average the buffers too, in place of copying the model's
};

/// A copy of a model that becomes the average of its parameters. State: n_averaged (0-dim int64)
/// and the copy under `module.`. PyTorch: torch.optim.swa_utils.AveragedModel.
///
///   optim::AveragedModel ema(net, {.multi_avg_fn = optim::get_ema_multi_avg_fn(0.999)});
///   ...  optimizer.step(); ema.update_parameters(net);
///   Tensor y = ema(x);
class AveragedModel : public nn::Module {
 public:
  /// Throws AssertionError for two averaging functions.
  explicit AveragedModel(const nn::Module& model, const AveragedModelOptions& options = {});

  nn::Buffer n_averaged;
  std::shared_ptr<nn::Module> module;
  AvgFn avg_fn;
  MultiAvgFn multi_avg_fn;
  bool use_buffers;
  TAPER_LAYER(AveragedModel)

  /// Calls the average; one with other arguments than a tensor by `call`.
  Tensor forward(const Tensor& input) const { return (*module)(input); }
  Value forward_kwargs(Values& args, const Value& kwargs) override;
  /// Takes the model's parameters into the average; the first time copies them. Buffers that are
  /// not averaged become copies of the model's. Throws ValueError for a model of other tensors, and
  /// changes nothing then.
  void update_parameters(const nn::Module& model);
};

namespace detail {

/// Batch norms of a model that learn the plain average of all batches while this lives; afterwards
/// their momenta and the model's mode are what they were.
class BatchNormUpdate {
 public:
  explicit BatchNormUpdate(nn::Module& model);
  ~BatchNormUpdate();
  BatchNormUpdate(const BatchNormUpdate&) = delete;
  BatchNormUpdate& operator=(const BatchNormUpdate&) = delete;
  bool empty() const { return norms_.empty(); }
  void run(const Tensor& input, const std::optional<Device>& device);

 private:
  nn::Module& model_;
  bool was_training_;
  std::vector<std::pair<nn::BatchNormBase*, std::optional<double>>> norms_;
};

template <class B> Tensor input_of(const B& batch) {
  if constexpr (std::is_convertible_v<const B&, const Tensor&>)
    return batch;
  else if constexpr (std::is_same_v<B, std::vector<Tensor>>)
    return batch.at(0);
  else
    return std::get<0>(batch);
}

}  // namespace detail

/// Learns the running statistics of all batch norms of `model` anew, from one pass over `loader`,
/// whose batches are tensors, or begin with one. PyTorch: torch.optim.swa_utils.update_bn.
template <class Loader>
void update_bn(Loader&& loader, nn::Module& model, const std::optional<Device>& device = {}) {
  detail::BatchNormUpdate update(model);
  if (update.empty()) return;
  for (auto&& batch : loader) update.run(detail::input_of(batch), device);
}

}  // namespace optim
}  // namespace taper
