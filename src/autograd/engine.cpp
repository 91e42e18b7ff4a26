// Entry points of the backward pass: backward and autograd::grad.
#include "autograd/batched_grad.h"
#include "autograd/graph_task.h"
#include "core/check.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

/// Returns the gradient of root `t`: entry `i` of `given` or, if that is absent or undefined, ones
/// for a tensor of one element. Throws if neither is possible; `function` is the name in errors.
Tensor root_gradient(const char* function, const Tensor& t, std::span<const Tensor> given,
                     std::size_t i) {
  if (!t.requires_grad())
    fail<RuntimeError>(
        "{}: element {} of tensors does not require grad and does not have a grad_fn", function, i);
  const Tensor g = i < given.size() ? given[i] : Tensor();
  if (g.defined()) {
    if (!(g.shape() == t.shape()))
      fail<ShapeError>(
          "{}: Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of "
          "{}.",
          function, i, g.shape(), i, t.shape());
    if (is_floating_point(g.dtype()) != is_floating_point(t.dtype()))
      fail<DTypeError>("{}: grad_output[{}] is {} {} but output[{}] is {} {}", function, i,
                       g.dtype(), g.shape(), i, t.dtype(), t.shape());
    return g.dtype() == t.dtype() ? g : g.to(t.dtype());
  }
  if (t.numel() != 1)
    fail<RuntimeError>(
        "{}: grad can be implicitly created only for scalar outputs: got shape {}; reduce to a "
        "scalar first, e.g. sum(), or pass the gradient",
        function, t.shape());
  return ones(t.shape(), {.dtype = t.dtype(), .device = t.device()});
}

void check_defined(const char* function, const char* name, std::span<const Tensor> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].defined())
      fail<ValueError>("{}: argument '{}[{}]' is an undefined tensor", function, name, i);
}

std::vector<Tensor> root_gradients(const char* function, std::span<const Tensor> roots,
                                   std::span<const Tensor> given) {
  std::vector<Tensor> grads;
  for (std::size_t i = 0; i < roots.size(); ++i)
    grads.push_back(root_gradient(function, roots[i], given, i));
  return grads;
}

void check_counts(const char* function, std::span<const Tensor> tensors,
                  std::span<const Tensor> grads) {
  if (!grads.empty() && grads.size() != tensors.size())
    fail<ValueError>("{}: got {} tensors and {} gradients", function, tensors.size(), grads.size());
}

}  // namespace

namespace autograd {

void backward(std::span<const Tensor> tensors, const BackwardOptions& options) {
  check_counts("backward", tensors, options.grad_tensors);
  check_defined("backward", "tensors", tensors);
  check_defined("backward", "inputs", options.inputs);
  std::vector<Tensor> grads = root_gradients("backward", tensors, options.grad_tensors);
  for (const Tensor& t : options.inputs) t.retain_grad();
  if (options.create_graph)
    warn(
        "Using backward() with create_graph=True will create a reference cycle between the "
        "parameter and its gradient which can cause a memory leak. We recommend using "
        "autograd.grad when creating the graph to avoid this. If you have to use this function, "
        "make sure to reset the .grad fields of your parameters to None after use to break the "
        "cycle and avoid the leak.");
  GraphTask task(options.retain_graph || options.create_graph, options.create_graph);
  if (!options.inputs.empty()) task.set_inputs(tensors, options.inputs, false);
  task.execute(tensors, std::move(grads));
}

void queue_callback(SharedFunction<void()> callback) {
  GraphTask* const task = GraphTask::outermost();
  if (!task)
    fail<RuntimeError>(
        "queue_callback: final callbacks can only be installed during backward pass.");
  task->add_callback(std::move(callback));
}

std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                         const GradOptions& options) {
  check_counts("autograd::grad", outputs, options.grad_outputs);
  check_defined("autograd::grad", "outputs", outputs);
  check_defined("autograd::grad", "inputs", inputs);
  if (options.is_grads_batched) return compute_batched_grad(outputs, inputs, options);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].requires_grad())
      fail<RuntimeError>(
          "autograd::grad: one of the differentiated tensors does not require grad "
          "(input {})",
          i);
  std::vector<Tensor> grads = root_gradients("autograd::grad", outputs, options.grad_outputs);
  GraphTask task(options.retain_graph.value_or(options.create_graph), options.create_graph);
  task.set_inputs(outputs, inputs, true);
  task.execute(outputs, std::move(grads));
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor g = task.captured(i);
    if (!g.defined() && options.materialize_grads) g = zeros_like(inputs[i]);
    if (!g.defined() && !options.allow_unused)
      fail<RuntimeError>(
          "autograd::grad: One of the differentiated Tensors appears to not have been used in the "
          "graph (input {}). Set allow_unused=True if this is the desired behavior.",
          i);
    result.push_back(std::move(g));
  }
  return result;
}
}  // namespace autograd

void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  defined_impl(*this);
  autograd::BackwardOptions options{.retain_graph = retain_graph, .create_graph = create_graph};
  if (gradient.defined()) options.grad_tensors.push_back(gradient);
  autograd::backward(*this, options);
}
void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph,
                      const std::vector<Tensor>& inputs) const {
  autograd::BackwardOptions options{
      .retain_graph = retain_graph, .create_graph = create_graph, .inputs = inputs};
  if (gradient.defined()) options.grad_tensors.push_back(gradient);
  autograd::backward(*this, options);
}
void Tensor::backward() const {
  defined_impl(*this);
  autograd::backward(*this);
}

}  // namespace taper
