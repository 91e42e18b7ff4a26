#include "autograd/graph_task.h"

#include <algorithm>

#include "autograd/accumulate.h"
#include "autograd/anomaly.h"
#include "core/check.h"
#include "core/observer.h"
#include "taper/autograd/grad_mode.h"

namespace taper {
namespace {

/// Returns true if a gradient of shape `from` can be summed to shape `to`.
bool is_expandable_to(const Shape& to, const Shape& from) {
  if (from.size() < to.size()) return false;
  for (std::size_t d = 0; d < to.size(); ++d) {
    const std::int64_t size = to[to.size() - 1 - d];
    if (size != from[from.size() - 1 - d] && size != 1) return false;
  }
  return true;
}

/// Converts gradient `i` of node `from` to the shape, dtype and device of the corresponding tensor.
/// Throws if that is impossible.
void validate_grad(Tensor& g, const Shape& shape, DType dtype, Device device, const Node& from,
                   std::size_t i) {
  if (!(g.shape() == shape)) {
    if (!is_expandable_to(shape, g.shape()))
      fail<ShapeError>(
          "Function {} returned an invalid gradient at index {} - got {} but expected shape "
          "compatible with {}",
          from.name(), i, g.shape(), shape);
    g = g.sum_to_size(shape);
  }
  if (g.dtype() != dtype) g = g.to(dtype);
  if (!(g.device() == device)) {
    if (g.shape().empty())
      g = g.to(device);
    else
      fail<DeviceError>("Function {} returned a gradient at index {} on {} instead of {}",
                        from.name(), i, g.device(), device);
  }
}

void validate_grad(Tensor& g, const Edge& e, const Node& from, std::size_t i) {
  if (e.leaf) {
    const TensorImpl& leaf = *e.leaf;
    validate_grad(g, leaf.shape, leaf.dtype, leaf.device(), from, i);
  } else {
    const TensorMeta& m = e.node->outputs()[e.output_nr];
    validate_grad(g, m.shape, m.dtype, m.device, from, i);
  }
}

void call_tensor_hooks(const NodeExtra& extra, std::span<Tensor> grads, bool create_graph) {
  for (const auto& o : extra.output_hooks) {
    Tensor& g = grads[o.output_nr];
    if (!g.defined()) continue;
    if (o.hooks) run_hooks(*o.hooks, g);
    if (o.retain) accumulate_into(*o.retain, g, create_graph);
  }
}

}  // namespace

/// Returns the gradient accumulated so far at the target of an edge, which is enqueued if it is
/// new.
Tensor& GraphTask::total_of(const Edge& e) {
  return e.node ? buffers_->ready.input_buffer(*e.node)[e.output_nr]
                : buffers_->leaves.entry(*e.leaf).grad;
}

/// Adds a contribution, which may be undefined, to the gradient at the target of `e`.
void GraphTask::send(const Edge& e, Tensor g) {
  if (e.node) {  // enqueued even without a gradient: some nodes produce gradients from none
    Tensor& total = total_of(e);
    if (g.defined()) add_gradient(total, std::move(g), create_graph_);
    return;
  }
  if (!g.defined() && !counting_) return;
  LeafGradients::Entry& entry = buffers_->leaves.entry(*e.leaf);
  if (g.defined()) add_gradient(entry.grad, std::move(g), create_graph_);
  if (counting_ && --entry.expected == 0)
    ready_leaves_.push_back(static_cast<std::size_t>(&entry - buffers_->leaves.entries().data()));
}

/// Calls the node's hooks and, unless all gradients are undefined, its backward.
void GraphTask::call_function(Node& node, std::span<Tensor> grads,
                              std::span<Tensor> results) const {
  const std::shared_ptr<NodeHooks> hooks = node.extra ? node.extra->hooks : nullptr;
  if (hooks) hooks->run_before(node, grads);
  const std::vector<Tensor> grad_outputs =
      hooks ? std::vector<Tensor>(grads.begin(), grads.end()) : std::vector<Tensor>();
  bool any_defined = node.materializes_undefined_grads();
  for (const Tensor& g : grads) any_defined = any_defined || g.defined();
  if (any_defined) node.backward(grads, results);
  if (hooks) hooks->run_after(node, results, grad_outputs);
}

/// Adds the gradient of the only input of a node to the gradient accumulated so far, where that may
/// be modified and no hook or check sees the contribution alone. Returns false if it was not added.
bool GraphTask::add_in_place(Node& node, std::span<const Tensor> grads) {
  if (!node.can_add_input_grad() || create_graph_ || tls.anomaly) return false;
  const std::span<Edge> edges = node.edges();
  if ((node.extra && node.extra->hooks) || !grads[0].defined() || !is_needed(edges[0]))
    return false;
  Tensor& total = total_of(edges[0]);
  if (!total.defined() || !is_exclusive(total) || total.dtype() != grads[0].dtype() ||
      total.device() != grads[0].device())
    return false;
  node.add_input_grad(grads[0], total);
  return true;
}

void GraphTask::evaluate_node(Node& node, SmallTensorVector& grad_buffer) {
  const ObservedScope observed([&] {
    return ScopeInfo{
        .kind = ScopeKind::backward, .name = node.name(), .sequence_nr = node.sequence_nr};
  });
  const std::span<Tensor> grads(grad_buffer);
  if (node.extra) call_tensor_hooks(*node.extra, grads, create_graph_);
  if (exec_info_ && !exec_info_->capture(&node, grads)) return grad_buffer.clear();
  const std::span<Edge> edges = node.edges();
  SmallTensorVector result_buffer(edges.size());
  const std::span<Tensor> results(result_buffer);
  if (add_in_place(node, grads)) {
    // The result stays undefined: nothing is left to send.
  } else if (tls.anomaly) {
    try {
      call_function(node, grads, results);
      if (tls.anomaly == 2) check_nan(node, results);
    } catch (Error& error) {
      warn_of_failure(node);
      annotate_error(node, error);
      throw;
    } catch (...) {
      warn_of_failure(node);
      throw;
    }
  } else {
    call_function(node, grads, results);
  }
  if (!keep_graph_) node.release_saved();
  if (!counting_ && leaf_hooks_exist()) [[unlikely]]
    start_counting(node);
  grad_buffer.clear();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i]) continue;
    if (results[i].defined()) validate_grad(results[i], edges[i], node, i);
    if (is_needed(edges[i])) send(edges[i], std::move(results[i]));
  }
}

void GraphTask::expect(const Edge& e) {
  if (!is_needed(e)) return;
  if (e.leaf)
    ++buffers_->leaves.entry(*e.leaf).expected;
  else
    buffers_->visited.insert(*e.node);
}

/// Counts for each leaf the edges to it from the visited nodes and from all nodes reachable from
/// them. Each of these nodes is evaluated once and sends one contribution along each edge.
void GraphTask::count_expected() {
  counting_ = true;
  NodeSet& visited = buffers_->visited;
  for (std::size_t i = 0; i < visited.size(); ++i)
    for (const Edge& e : visited[i].edges()) expect(e);
  visited.clear();
}

/// Starts to count in the middle of a pass: the first hook on a leaf was registered after the pass
/// had started, at the latest in the backward of `current`. Leaves that were complete before do not
/// call the hook.
void GraphTask::start_counting(Node& current) {
  buffers_->ready.for_each([&](Node& n) { buffers_->visited.insert(n); });
  buffers_->visited.insert(current);
  count_expected();
  for (LeafGradients::Entry& e : buffers_->leaves.entries())
    if (e.expected == 0) store_gradient(*e.leaf, std::move(e.grad));
}

/// Captures or accumulates the gradient of a leaf. Returns true if it was accumulated.
bool GraphTask::store_gradient(TensorImpl& leaf, Tensor grad) {
  if (exec_info_ && !exec_info_->capture(&leaf, std::span(&grad, 1))) return false;
  if (!leaf.has_grad()) return false;  // requires_grad was cleared after forward
  accumulate_into(leaf, std::move(grad), create_graph_);
  return true;
}

void GraphTask::finish_leaf(LeafGradients::Entry& entry) {
  if (!entry.grad.defined()) return;
  if (leaf_hooks_exist()) [[unlikely]]
    store_gradient_with_hooks(*entry.leaf, entry.grad);
  else
    store_gradient(*entry.leaf, std::move(entry.grad));
}

void GraphTask::store_gradient_with_hooks(TensorImpl& leaf, Tensor& grad) {
  if (const auto hooks = leaf_hooks(leaf, &AutogradMeta::hooks)) run_hooks(*hooks, grad);
  const auto hooks = leaf_hooks(leaf, &AutogradMeta::accumulated_hooks);
  if (!hooks) {
    store_gradient(leaf, std::move(grad));
    return;
  }
  const std::lock_guard lock(hooks->accumulation);
  if (!store_gradient(leaf, std::move(grad))) return;
  const Tensor handle(Ref<TensorImpl>::share(&leaf));
  for (const auto& e : hooks->snapshot()) static_cast<void>(e.call(handle));
}

/// Moves the leaf of the last edge to the front if PyTorch's node has that edge first.
void GraphTask::order_ready_leaves(const Node& node) {
  if (ready_leaves_.size() < 2 || !node.finishes_last_leaf_first()) return;
  if (buffers_->leaves.entries()[ready_leaves_.back()].leaf != node.edges().back().leaf.get())
    return;
  std::rotate(ready_leaves_.begin(), ready_leaves_.end() - 1, ready_leaves_.end());
}

void GraphTask::finish_ready_leaves() {
  for (const std::size_t i : ready_leaves_) finish_leaf(buffers_->leaves.entries()[i]);
  ready_leaves_.clear();
}

namespace {

constinit thread_local GraphTask* outermost_task = nullptr;

/// Makes a pass the outermost one of the thread within a scope, unless it is nested.
class OutermostScope {
 public:
  explicit OutermostScope(GraphTask& task) : is_outermost_(outermost_task == nullptr) {
    if (is_outermost_) outermost_task = &task;
  }
  ~OutermostScope() {
    if (is_outermost_) outermost_task = nullptr;
  }
  OutermostScope(const OutermostScope&) = delete;
  OutermostScope& operator=(const OutermostScope&) = delete;

 private:
  bool is_outermost_;
};

}  // namespace

GraphTask* GraphTask::outermost() noexcept { return outermost_task; }

void GraphTask::run_callbacks() {
  // A callback may add others.
  for (std::size_t i = 0; i < callbacks_.size(); ++i) {
    const SharedFunction<void()> callback = callbacks_[i];
    callback();
  }
}

void GraphTask::execute(std::span<const Tensor> roots, std::vector<Tensor> grads) {
  const OutermostScope scope(*this);
  const GradMode mode(create_graph_);
  std::vector<Edge>& edges = buffers_->roots;
  for (const Tensor& t : roots) edges.push_back(edge_of(impl(t)));
  if (leaf_hooks_exist()) {
    for (const Edge& e : edges) expect(e);
    count_expected();
  }
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (is_needed(edges[i])) send(edges[i], std::move(grads[i]));
  finish_ready_leaves();
  SmallTensorVector node_grads;
  while (!buffers_->ready.empty()) {
    Node& node = buffers_->ready.pop(node_grads);
    evaluate_node(node, node_grads);
    if (!ready_leaves_.empty()) [[unlikely]] {
      order_ready_leaves(node);
      finish_ready_leaves();
    }
  }
  for (LeafGradients::Entry& e : buffers_->leaves.entries()) finish_leaf(e);
  run_callbacks();
}

}  // namespace taper
