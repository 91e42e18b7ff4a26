#include "taper/optim/swa_utils.h"

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper::optim {
namespace {

void check_decay(double decay) {
  if (!(decay >= 0 && decay <= 1))
    fail<ValueError>("Invalid decay value {} provided. Please provide a value in [0,1] range.",
                     python_repr(decay));
}

using Tensors = std::vector<Tensor>;

/// Tensors that are averaged or copied, and their counterparts in the model.
struct TensorPairs {
  Tensors averaged, current;

  void add(const Tensors& averaged_tensors, const Tensors& model_tensors, const char* what) {
    if (averaged_tensors.size() != model_tensors.size())
      fail<ValueError>("AveragedModel: expected a model of {} {}, got {}", averaged_tensors.size(),
                       what, model_tensors.size());
    for (std::size_t i = 0; i < averaged_tensors.size(); ++i) {
      if (averaged_tensors[i].shape() != model_tensors[i].shape())
        fail<ValueError>("AveragedModel: expected {} of shape {}, got {}", what,
                         averaged_tensors[i].shape(), model_tensors[i].shape());
      averaged.push_back(averaged_tensors[i].detach());
      current.push_back(model_tensors[i].detach().to(averaged_tensors[i].device()));
    }
  }
  void copy() const {
    for (std::size_t i = 0; i < averaged.size(); ++i) averaged[i].copy_(current[i]);
  }
};

/// Calls `fn` once per device and dtype, as PyTorch does.
void average_groups(const TensorPairs& pairs, const Tensor& count, const MultiAvgFn& fn) {
  std::vector<bool> done(pairs.averaged.size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i]) continue;
    const Tensor& first = pairs.averaged[i];
    TensorPairs group;
    for (std::size_t k = i; k < done.size(); ++k)
      if (const Tensor& t = pairs.averaged[k];
          !done[k] && t.device() == first.device() && t.dtype() == first.dtype()) {
        done[k] = true;
        group.averaged.push_back(t), group.current.push_back(pairs.current[k]);
      }
    fn(group.averaged, group.current, count.to(first.device()));
  }
}

}  // namespace

AvgFn get_swa_avg_fn() {
  return [](const Tensor& averaged, const Tensor& current, const Tensor& count) {
    const NoGrad guard;
    return averaged + (current - averaged) / (count + 1);
  };
}

MultiAvgFn get_swa_multi_avg_fn() {
  return
      [](std::span<const Tensor> averaged, std::span<const Tensor> current, const Tensor& count) {
        const NoGrad guard;
        const double n = count.item<double>() + 1;
        // As in PyTorch, the weight is rounded to the default dtype, the dtype of the quotient of
        // an integer tensor.
        const double weight = (1.0 / (count + 1)).item<double>();
        for (std::size_t i = 0; i < averaged.size(); ++i)
          if (averaged[i].is_floating_point())
            averaged[i].lerp_(current[i], weight);
          else
            averaged[i].copy_(averaged[i] + (current[i] - averaged[i]) / n);
      };
}

AvgFn get_ema_avg_fn(FloatArg decay) {
  check_decay(decay);
  return [decay](const Tensor& averaged, const Tensor& current, const Tensor&) {
    const NoGrad guard;
    return averaged * decay + current * (1 - decay);
  };
}

MultiAvgFn get_ema_multi_avg_fn(FloatArg decay) {
  check_decay(decay);
  return [decay](std::span<const Tensor> averaged, std::span<const Tensor> current, const Tensor&) {
    const NoGrad guard;
    for (std::size_t i = 0; i < averaged.size(); ++i)
      if (averaged[i].is_floating_point())
        averaged[i].lerp_(current[i], 1 - decay);
      else
        averaged[i].copy_(averaged[i] * decay + current[i] * (1 - decay));
  };
}

TAPER_DETAIL_LAYER_CLASS(AveragedModel){TAPER_DETAIL_VISIT(n_averaged, module)}

AveragedModel::AveragedModel(const nn::Module& model, const AveragedModelOptions& o)
    : n_averaged(zeros({}, {.dtype = int64, .device = o.device})),
      module(model.clone_shared()),
      avg_fn(o.avg_fn),
      multi_avg_fn(o.multi_avg_fn),
      use_buffers(o.use_buffers) {
  if (avg_fn && multi_avg_fn)
    fail<AssertionError>("Only one of avg_fn and multi_avg_fn should be provided");
  if (o.device) module->to(*o.device);
}

Tensor AveragedModel::call_tensor(const Tensor& x) { return nn::detail::call_typed(*this, x); }
Value AveragedModel::forward_values(Values& args) { return module->call(args); }
Value AveragedModel::forward_kwargs(Values& args, const Value& kwargs) {
  return module->call(args, kwargs);
}

void AveragedModel::update_parameters(const nn::Module& model) {
  const NoGrad guard;
  TensorPairs averaged, copied;
  averaged.add(module->parameters(), model.parameters(), "parameters");
  (use_buffers ? averaged : copied).add(module->buffers(), model.buffers(), "buffers");
  if (n_averaged.item<std::int64_t>() == 0) {
    averaged.copy();
  } else if (multi_avg_fn) {
    average_groups(averaged, n_averaged, multi_avg_fn);
  } else {
    // PyTorch's default on a CPU is get_swa_avg_fn, which divides. get_swa_multi_avg_fn, which
    // interpolates, rounds differently.
    const AvgFn fn = avg_fn ? avg_fn : get_swa_avg_fn();
    for (std::size_t i = 0; i < averaged.averaged.size(); ++i) {
      const Tensor& t = averaged.averaged[i];
      t.copy_(fn(t, averaged.current[i], n_averaged.to(t.device())));
    }
  }
  copied.copy();
  n_averaged.add_(1);
}

namespace detail {

BatchNormUpdate::BatchNormUpdate(nn::Module& model) : model_(model), was_training_(model.training) {
  model.for_each_module([&](nn::Module& m) {
    if (const auto norm = m.as<nn::BatchNormBase>()) norms_.emplace_back(norm, norm->momentum);
  });
  if (norms_.empty()) return;
  for (auto& [norm, momentum] : norms_) {
    norm->reset_running_stats();
    norm->momentum = std::nullopt;
  }
  model.train();
}

BatchNormUpdate::~BatchNormUpdate() {
  if (norms_.empty()) return;
  for (auto& [norm, momentum] : norms_) norm->momentum = momentum;
  model_.train(was_training_);
}

void BatchNormUpdate::run(const Tensor& input, const std::optional<Device>& device) {
  const NoGrad guard;
  (void)model_.call({device ? input.to(*device) : input});
}

}  // namespace detail
}  // namespace taper::optim
