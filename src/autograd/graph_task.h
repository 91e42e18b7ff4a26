// GraphTask: one backward pass over the graph, in descending sequence order, without recursion.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "autograd/exec_info.h"
#include "autograd/node.h"
#include "autograd/ready_queue.h"

namespace taper {

class GraphTask {
 public:
  GraphTask(bool keep_graph, bool create_graph)
      : keep_graph_(keep_graph), create_graph_(create_graph) {}

  /// Restricts the pass to `inputs`, whose gradients are captured if `capture` is true and
  /// accumulated otherwise.
  void set_inputs(std::span<const Tensor> roots, std::span<const Tensor> inputs, bool capture) {
    exec_info_.emplace(roots, inputs, capture, buffers_->visited);
  }
  /// Runs the pass from `roots` with their gradients.
  void execute(std::span<const Tensor> roots, std::vector<Tensor> grads);
  /// Returns the gradient captured for input `i`; undefined if none arrived.
  const Tensor& captured(std::size_t i) const { return exec_info_->captured(i); }
  /// Returns the outermost pass that is running on the calling thread; null if there is none.
  static GraphTask* outermost() noexcept;
  /// Adds a function that runs at the end of the pass.
  void add_callback(SharedFunction<void()> callback) { callbacks_.push_back(std::move(callback)); }

 private:
  bool is_needed(const Edge& e) const { return e && (!exec_info_ || exec_info_->needs(e)); }
  Tensor& total_of(const Edge& e);
  void send(const Edge& e, Tensor g);
  bool add_in_place(Node& node, std::span<const Tensor> grads);
  void evaluate_node(Node& node, SmallTensorVector& grad_buffer);
  void call_function(Node& node, std::span<Tensor> grads, std::span<Tensor> results) const;

  void run_callbacks();
  void count_expected();
  void expect(const Edge& e);
  void start_counting(Node& current);
  void order_ready_leaves(const Node& node);
  void finish_ready_leaves();
  void finish_leaf(LeafGradients::Entry& entry);
  void store_gradient_with_hooks(TensorImpl& leaf, Tensor& grad);
  bool store_gradient(TensorImpl& leaf, Tensor grad);

  bool keep_graph_, create_graph_;
  /// True if the contributions to leaves are counted, so that a leaf is finished with the last one.
  bool counting_ = false;
  ReusableBuffers buffers_;
  std::optional<ExecInfo> exec_info_;
  std::vector<std::size_t> ready_leaves_;  ///< entries whose last contribution has arrived
  std::vector<SharedFunction<void()>> callbacks_;
};

}  // namespace taper
