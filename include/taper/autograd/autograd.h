// Gradients: backward, autograd::grad, hooks, nodes of the graph.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "taper/autograd/grad_mode.h"
#include "taper/core/api.h"
#include "taper/core/hook.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

class Node;

/// The operation that made a tensor, as a node of the graph. PyTorch: Tensor.grad_fn.
class GradFn {
 public:
  GradFn() = default;
  explicit GradFn(Ref<Node> node) : node_(std::move(node)) {}
  explicit operator bool() const { return static_cast<bool>(node_); }
  /// "AddBackward0".
  std::string name() const;
  /// Name and output number of what each input came from: "AccumulateGrad" for leaves, "" for
  /// inputs that need no gradient.
  std::vector<std::pair<std::string, int>> next_functions() const;
  /// The node behind input i; empty for leaves.
  GradFn next(std::size_t i) const;
  /// `hook(grad_inputs, grad_outputs)` after the node's part of a backward pass. An undefined
  /// tensor is a gradient that is not there. What it returns replaces grad_inputs, entry by entry;
  /// an empty list changes nothing. Throws RuntimeError without a node. PyTorch:
  /// Node.register_hook.
  using Gradients = std::vector<Tensor>;
  HookHandle register_hook(Function<Gradients(const Gradients&, const Gradients&)> hook) const;
  /// `hook(grad_outputs)` before it; may replace them likewise. PyTorch: Node.register_prehook.
  HookHandle register_prehook(Function<Gradients(const Gradients&)> hook) const;
  friend bool operator==(const GradFn& a, const GradFn& b) {
    return a.node_.get() == b.node_.get();
  }
  Node* node() const { return node_.get(); }

 private:
  Ref<Node> node_;
};

namespace autograd {

/// Accumulates gradients of <tensors, grad_tensors> into `grad` of the leaves (or of `inputs`
/// only). PyTorch: torch.autograd.backward. Throws RuntimeError for a freed graph, a tensor without
/// history, a missing gradient of a non-scalar; ShapeError, DTypeError for gradients that do not
/// fit.
struct BackwardOptions {
  std::vector<Tensor> grad_tensors{};  ///< undefined entries: 1, for scalars only
  bool retain_graph = false, create_graph = false;
  std::vector<Tensor> inputs{};
};
void backward(std::span<const Tensor> tensors, const BackwardOptions& options = {});
inline void backward(const Tensor& tensor, const BackwardOptions& options = {}) {
  backward(std::span(&tensor, 1), options);
}

/// The gradients of <outputs, grad_outputs> with respect to `inputs`; `grad` of tensors stays as it
/// is. PyTorch: torch.autograd.grad.
struct GradOptions {
  std::vector<Tensor> grad_outputs{};
  std::optional<bool> retain_graph{};  ///< default: create_graph
  bool create_graph = false;
  bool allow_unused = false;       ///< inputs that were not used give an undefined tensor
  bool materialize_grads = false;  ///< ...or zeros
  /// Each of `grad_outputs` has one dimension more in front, and so have the results: one backward
  /// pass for each of its entries.
  bool is_grads_batched = false;
};
[[nodiscard]] std::vector<Tensor> grad(std::span<const Tensor> outputs,
                                       std::span<const Tensor> inputs,
                                       const GradOptions& options = {});
[[nodiscard]] inline std::vector<Tensor> grad(const Tensor& output,
                                              const std::vector<Tensor>& inputs,
                                              const GradOptions& options = {}) {
  return grad(std::span(&output, 1), inputs, options);
}
inline Tensor grad(const Tensor& output, const Tensor& input, const GradOptions& options = {}) {
  return grad(std::span(&output, 1), std::span(&input, 1), options)[0];
}

}  // namespace autograd
}  // namespace taper
