// backward, autograd::grad and GradFn.
#pragma once
#include <concepts>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "taper/autograd/grad_mode.h"
#include "taper/core/api.h"
#include "taper/core/hook.h"
#include "taper/core/tensor.h"
#include "taper/core/tensor_list.h"
#include "taper/core/tensor_span.h"

namespace TAPER_API taper {

class Node;

/// Node of the autograd graph that computed a tensor. A default-constructed GradFn is empty, as is
/// that of a leaf. PyTorch: torch.Tensor.grad_fn.
class GradFn {
 public:
  GradFn() = default;
  explicit GradFn(Ref<Node> node) : node_(std::move(node)) {}
  explicit operator bool() const { return static_cast<bool>(node_); }
  /// Returns the name of the node: "AddBackward0".
  std::string name() const;
  /// Returns the name and the output index of the node of each input: "AccumulateGrad" for a leaf,
  /// "" for an input that does not require gradients.
  /// PyTorch: torch.autograd.graph.Node.next_functions.
  std::vector<std::pair<std::string, int>> next_functions() const;
  /// Returns the node of input i; empty for a leaf.
  /// PyTorch: torch.autograd.graph.Node.next_functions.
  GradFn next(std::size_t i) const;
  /// Registers `hook(grad_inputs, grad_outputs)`, which runs after the node in a backward pass.
  /// Undefined tensors represent absent gradients. The returned gradients replace grad_inputs,
  /// entry by entry; an empty list has no effect. Throws RuntimeError if the GradFn is empty.
  /// PyTorch: torch.autograd.graph.Node.register_hook.
  using Gradients = std::vector<Tensor>;
  RemovableHandle register_hook(
      SharedFunction<Gradients(const Gradients&, const Gradients&)> hook) const;
  /// Registers `hook(grad_outputs)`, which runs before the node in a backward pass. The returned
  /// gradients replace grad_outputs, entry by entry; an empty list has no effect. Throws
  /// RuntimeError if the GradFn is empty. PyTorch: torch.autograd.graph.Node.register_prehook.
  RemovableHandle register_prehook(SharedFunction<Gradients(const Gradients&)> hook) const;
  friend bool operator==(const GradFn& a, const GradFn& b) {
    return a.node_.get() == b.node_.get();
  }
  /// Internal access to the node.
  Node* node() const { return node_.get(); }

 private:
  Ref<Node> node_;
};

namespace autograd {

/// Options of backward.
struct BackwardOptions {
  /// Gradients with respect to the tensors: one per tensor, or none. An undefined or omitted
  /// gradient is 1, which requires that its tensor has one element.
  TensorList grad_tensors{};
  /// retain_graph preserves the graph for another backward pass; create_graph records this backward
  /// pass, so that the gradients are differentiable, and implies retain_graph.
  bool retain_graph = false, create_graph = false;
  /// Tensors to accumulate gradients in; default: all leaves.
  TensorList inputs{};
};
/// Computes the gradients of the inner product of `tensors` and `grad_tensors`, and accumulates
/// them in `grad` of the leaves, or of `inputs`. Throws RuntimeError if the graph was freed, if a
/// tensor does not require gradients, or if the gradient of a non-scalar is missing; ShapeError or
/// DTypeError if a gradient does not match its tensor, ValueError if the number of gradients does
/// not match. PyTorch: torch.autograd.backward.
void backward(std::span<const Tensor> tensors, const BackwardOptions& options = {});
inline void backward(std::initializer_list<Tensor> tensors, const BackwardOptions& options = {}) {
  backward(taper::detail::as_span(tensors), options);
}
inline void backward(const Tensor& tensor, const BackwardOptions& options = {}) {
  backward(taper::detail::as_span(tensor), options);
}

/// Runs `callback` at the end of the backward pass that is running on the calling thread, after all
/// gradients were accumulated; of nested passes, at the end of the outermost one. Callbacks run in
/// the order of registration, those registered by a callback last. They do not run if the pass
/// throws. Throws RuntimeError if no pass is running.
/// PyTorch: torch.autograd.Variable._execution_engine.queue_callback.
void queue_callback(SharedFunction<void()> callback);

/// Options of grad.
struct GradOptions {
  /// Gradients with respect to the outputs: one per output, or none. An undefined or omitted
  /// gradient is 1, which requires that its output has one element.
  TensorList grad_outputs{};
  std::optional<bool> retain_graph{};  ///< default: create_graph
  bool create_graph = false;  ///< records the backward pass, so that the results are differentiable
  bool allow_unused = false;  ///< returns undefined tensors for unused inputs instead of throwing
  bool materialize_grads = false;  ///< returns zeros for unused inputs
  /// Treats the first dimension of `grad_outputs` as a batch dimension, which the results have as
  /// well: runs one backward pass per entry.
  bool is_grads_batched = false;
};
/// Gradient with respect to one tensor. It is a Tensor, but an integer does not select one of its
/// rows: PyTorch returns a tuple, of which `[0]` is the gradient.
class [[nodiscard]] Gradient : public Tensor {
 public:
  explicit Gradient(Tensor gradient) noexcept : Tensor(std::move(gradient)) {}
  Gradient(const Gradient&) = default;
  Gradient(Gradient&&) noexcept = default;
  Gradient& operator=(const Gradient&) & = default;
  Gradient& operator=(Gradient&&) & noexcept = default;
  Gradient& operator=(const Tensor& other) & {
    Tensor::operator=(other);
    return *this;
  }
  template <std::integral I> Tensor operator[](I) const {
    static_assert(!std::integral<I>,
                  "autograd::grad(y, x) is the gradient, not a list: omit [0] or call "
                  "grad({y}, {x}); for a row of the gradient, assign it to a Tensor first");
    return {};
  }
  template <class T>
  requires(!std::integral<T>) auto operator[](const T& index) const {
    return Tensor::operator[](index);
  }
  IndexProxy operator[](std::initializer_list<Index> index) const {
    return Tensor::operator[](index);
  }
};

/// Returns the gradients of the inner product of `outputs` and `grad_outputs` with respect to
/// `inputs`, without changing `grad` of any tensor. Throws RuntimeError if an input does not
/// require gradients, or if it is unused and neither allow_unused nor materialize_grads is set, and
/// the errors of `backward`. PyTorch: torch.autograd.grad.
[[nodiscard]] std::vector<Tensor> grad(std::span<const Tensor> outputs,
                                       std::span<const Tensor> inputs,
                                       const GradOptions& options = {});
/// As above, where a list of outputs or inputs may also be written in braces, or be one tensor. The
/// result is a list unless both are tensors: the gradient of x is `grad(y, x)` or
/// `grad({y}, {x})[0]`.
template <taper::detail::TensorOrList Outputs>
[[nodiscard]] std::vector<Tensor> grad(const Outputs& outputs, std::initializer_list<Tensor> inputs,
                                       const GradOptions& options = {}) {
  return grad(taper::detail::as_span(outputs), taper::detail::as_span(inputs), options);
}
template <taper::detail::TensorOrList Inputs>
[[nodiscard]] std::vector<Tensor> grad(std::initializer_list<Tensor> outputs, const Inputs& inputs,
                                       const GradOptions& options = {}) {
  return grad(taper::detail::as_span(outputs), taper::detail::as_span(inputs), options);
}
[[nodiscard]] inline std::vector<Tensor> grad(std::initializer_list<Tensor> outputs,
                                              std::initializer_list<Tensor> inputs,
                                              const GradOptions& options = {}) {
  return grad(taper::detail::as_span(outputs), taper::detail::as_span(inputs), options);
}
// Templates, which braces never match: GCC would prefer a `const Tensor&` to the list.
template <std::derived_from<Tensor> Output>
[[nodiscard]] std::vector<Tensor> grad(const Output& output, std::span<const Tensor> inputs,
                                       const GradOptions& options = {}) {
  return grad(taper::detail::as_span(output), inputs, options);
}
template <std::derived_from<Tensor> Input>
[[nodiscard]] std::vector<Tensor> grad(std::span<const Tensor> outputs, const Input& input,
                                       const GradOptions& options = {}) {
  return grad(outputs, taper::detail::as_span(input), options);
}
template <std::derived_from<Tensor> Output, std::derived_from<Tensor> Input>
[[nodiscard]] Gradient grad(const Output& output, const Input& input,
                            const GradOptions& options = {}) {
  return Gradient(grad(taper::detail::as_span(output), taper::detail::as_span(input), options)[0]);
}

}  // namespace autograd
}  // namespace taper
