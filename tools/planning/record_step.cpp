#include <map>

#include "core/check.h"
#include "recorded_step.h"
#include "shard_units.h"
#include "stopwatch.h"
#include "taper/autograd/autograd.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/nn/module.h"

namespace planning {
namespace {

namespace nn = taper::nn;
using taper::Tensor, taper::Value;

/// Calls f(tensor) for the tensors of a nested value.
template <class F> void for_each_tensor(const Value& v, F& f) {
  if (v.is_tensor()) f(v.as_tensor());
  if (v.is_list() || v.is_tuple())
    for (const Value& item : v.as_sequence()) for_each_tensor(item, f);
  if (v.is_dict())
    for (const auto& entry : v.as_dict()) for_each_tensor(entry.second, f);
}

/// Records the times of one step after another by hooks, which exist as long as the recorder.
class StepRecorder {
 public:
  StepRecorder(nn::Module& root, const OptimizerFactory& factory,
               const std::vector<std::string>& unit_patterns)
      : root_(root), modules_(find_units(root, unit_patterns)) {
    std::vector<Tensor> trainable;
    for (const nn::NamedTensor& p : root.named_parameters()) {
      if (!p.value.requires_grad()) continue;
      step_.gradients.push_back({p.name, p.value});
      trainable.push_back(p.value);
    }
    if (trainable.empty())
      taper::fail<taper::ValueError>("{}: no parameter requires gradients", root.type_name());
    optimizer_ = factory(trainable);
    for (const UnitModule& m : modules_) step_.units.push_back({m.path, m.parameters});
    std::map<taper::DType, std::int64_t> buffers;
    for (const Tensor& b : root.buffers())
      buffers[b.dtype()] += static_cast<std::int64_t>(b.nbytes());
    for (const auto& [dtype, bytes] : buffers) step_.buffer_bytes.push_back(bytes);
    for (std::size_t i = 0; i < trainable.size(); ++i)
      handles_.push_back(trainable[i].register_post_accumulate_grad_hook(
          [this, i](const Tensor&) { step_.gradients[i].ready = clock_.seconds(); }));
    for (std::size_t i = 0; i < modules_.size(); ++i) observe_unit(i);
  }
  ~StepRecorder() {
    for (const taper::RemovableHandle& h : handles_) h.remove();
  }
  StepRecorder(const StepRecorder&) = delete;
  StepRecorder& operator=(const StepRecorder&) = delete;

  RecordedStep record(const taper::Values& inputs) {
    for (RecordedStep::Unit& u : step_.units)
      u.forward_begin = u.forward_end = u.backward_begin = u.backward_end = -1;
    for (RecordedStep::Gradient& g : step_.gradients) g.ready = -1;
    optimizer_->zero_grad();
    clock_.start();
    const Value result = root_.call(inputs);
    const Tensor loss = sum_of_outputs(root_, result);
    step_.forward = step_.unit_forward = clock_.seconds();
    clock_.start();
    loss.backward();
    step_.backward = step_.unit_backward = clock_.seconds();
    clock_.start();
    optimizer_->step();
    step_.update = clock_.seconds();
    return step_;
  }

  /// Measures copies of all gradients.
  double seconds_per_copied_byte() {
    std::vector<std::pair<Tensor, Tensor>> copies;
    double bytes = 0;
    for (const RecordedStep::Gradient& g : step_.gradients) {
      const Tensor grad = g.parameter.grad();
      if (!grad.defined()) continue;
      copies.emplace_back(empty_like(grad), grad);
      copies.back().first.zero_();
      bytes += static_cast<double>(grad.nbytes());
    }
    clock_.start();
    for (const auto& [to, from] : copies) to.copy_(from);
    return bytes > 0 ? clock_.seconds() / bytes : 0;
  }

  double state_per_byte() const {
    double state = 0, parameters = 0;
    const auto add = [&](const Tensor& t) { state += static_cast<double>(t.nbytes()); };
    for (const RecordedStep::Gradient& g : step_.gradients) {
      const Value of_parameter = optimizer_->state(g.parameter);
      for_each_tensor(of_parameter, add);
      parameters += static_cast<double>(g.parameter.nbytes());
    }
    return state / parameters;
  }

 private:
  void observe_unit(std::size_t i) {
    nn::Module& module = *modules_[i].module;
    handles_.push_back(module.register_forward_pre_hook([this, i](nn::Module&, taper::Values&) {
      RecordedStep::Unit& u = step_.units[i];
      if (u.forward_begin < 0) u.forward_begin = clock_.seconds();
    }));
    handles_.push_back(
        module.register_forward_hook([this, i](nn::Module&, const taper::Values&, Value& result) {
          step_.units[i].forward_end = clock_.seconds();
          const auto add_hook = [this, i](const Tensor& t) {
            if (!t.requires_grad()) return;
            // The tensor does not outlive the step.
            t.register_hook([this, i](const Tensor&) {
              RecordedStep::Unit& u = step_.units[i];
              if (u.backward_begin < 0) u.backward_begin = clock_.seconds();
              return Tensor();
            });
          };
          for_each_tensor(result, add_hook);
        }));
    for (const Tensor& p : modules_[i].parameters)
      if (p.requires_grad())
        handles_.push_back(p.register_post_accumulate_grad_hook(
            [this, i](const Tensor&) { step_.units[i].backward_end = clock_.seconds(); }));
  }

  nn::Module& root_;
  std::vector<UnitModule> modules_;
  RecordedStep step_;
  std::unique_ptr<taper::optim::Optimizer> optimizer_;
  Stopwatch clock_;
  std::vector<taper::RemovableHandle> handles_;
};

}  // namespace

Tensor sum_of_outputs(const nn::Module& module, const Value& result) {
  Tensor sum;
  const auto add = [&](const Tensor& t) {
    if (!t.is_floating_point() || !t.requires_grad()) return;
    sum = sum.defined() ? sum + t.sum() : t.sum();
  };
  for_each_tensor(result, add);
  if (!sum.defined())
    taper::fail<taper::ValueError>("{}: no result depends on a parameter that requires gradients",
                                   module.type_name());
  return sum;
}

RecordedStep record_step(nn::Module& module, const taper::Values& inputs,
                         const OptimizerFactory& factory, const RecordOptions& options) {
  StepRecorder recorder(module, factory, options.unit_patterns);
  for (int i = 0; i < options.warmup; ++i) recorder.record(inputs);
  std::vector<RecordedStep> steps;
  for (int i = 0; i < options.repetitions; ++i) {
    if (options.before_step) options.before_step();
    steps.push_back(recorder.record(inputs));
    steps.back().copy = recorder.seconds_per_copied_byte();
    if (options.after_step) options.after_step(steps.back());
  }
  RecordedStep result = median_of(std::move(steps));
  result.state_per_byte = recorder.state_per_byte();
  module.zero_grad();
  record_sharding(result, module, inputs, factory, options);
  return result;
}

}  // namespace planning
