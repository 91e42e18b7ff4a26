// The backward pass: nodes in descending order of their making, without recursion.
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "autograd/accumulate.h"
#include "autograd/batched_grad.h"
#include "autograd/pending.h"
#include "core/ambient.h"
#include "core/check.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

std::string describe(const Shape& shape, DType dtype) { return taper::text("{} {}", dtype, shape); }

/// Brings a gradient to the shape and dtype of what it is the gradient of.
void fit(Tensor& g, const Shape& shape, DType dtype, Device device, const Node& from,
         std::size_t i) {
  if (!(g.shape() == shape)) {
    const bool reducible = [&] {
      const Shape& have = g.shape();
      if (have.size() < shape.size()) return false;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::int64_t want = shape[shape.size() - 1 - d];
        if (want != have[have.size() - 1 - d] && want != 1) return false;
      }
      return true;
    }();
    if (!reducible)
      fail<ShapeError>(
          "Function {} returned an invalid gradient at index {} - got {} but expected shape "
          "compatible "
          "with {}",
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

class Run {
 public:
  Run(bool keep_graph, bool create_graph) : keep_(keep_graph), create_(create_graph) {}

  void seed(const Tensor& t, Tensor g) {
    pending_->roots.push_back(edge_of(impl(t)));
    send(pending_->roots.back(), std::move(g));
  }
  /// Only gradients of these are wanted; they are captured, not accumulated, if `capture`.
  void want(std::span<const Tensor> inputs, bool capture);
  void find_needed(std::span<const Tensor> roots);
  void run();
  Tensor captured(std::size_t i) const { return filter_->captured[i]; }

 private:
  struct Place {  // an input that is the output of a node
    const Node* node;
    std::uint32_t output_nr;
    std::size_t index;
  };
  /// Of a pass that is to reach certain inputs only.
  struct Filter {
    bool capture;
    std::vector<Place> places{};
    std::unordered_map<const TensorImpl*, std::vector<std::size_t>> wanted_leaves{};
    std::unordered_set<const Node*> needed_nodes{};
    std::vector<Tensor> captured{};

    bool needs(const Edge& e) const {
      return e.leaf ? wanted_leaves.contains(e.leaf.get()) : needed_nodes.contains(e.node.get());
    }
  };

  void send(const Edge& e, Tensor g);
  void process(Node& node, TensorRow& row);
  void finish_leaf(PendingLeaves::Entry& entry);
  bool needed(const Edge& e) const { return !filter_ || filter_->needs(e); }
  void work(Node& node, std::span<Tensor> grads, std::span<Tensor> results) const;
  void warn_of(const Node& node) const;
  static void say_where(const Node& node, Error& error);
  void check_nan(const Node& node, std::span<const Tensor> results) const;

  bool keep_, create_;
  PendingRoom pending_;
  std::optional<Filter> filter_;
};

void Run::want(std::span<const Tensor> inputs, bool capture) {
  filter_.emplace(Filter{.capture = capture});
  filter_->captured.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Edge e = edge_of(impl(inputs[i]));
    if (e.leaf)
      filter_->wanted_leaves[e.leaf.get()].push_back(i);
    else
      filter_->places.push_back({e.node.get(), e.output_nr, i});
  }
}

void Run::find_needed(std::span<const Tensor> roots) {
  // Depth first with an explicit stack: a node is needed if it is wanted or leads to one that is.
  enum : char { open = 1, done = 2 };
  std::unordered_map<const Node*, char> state;
  std::vector<Ref<Node>> stack;
  for (const Place& p : filter_->places) filter_->needed_nodes.insert(p.node);
  for (const Tensor& r : roots)
    if (Edge e = edge_of(impl(r)); e.node) stack.push_back(e.node);
  while (!stack.empty()) {
    const Ref<Node> n = stack.back();
    char& s = state[n.get()];
    if (s == 0) {
      s = open;
      for (const Edge& e : n->edges())
        if (e.node && !state.contains(e.node.get())) stack.push_back(e.node);
      continue;
    }
    stack.pop_back();
    if (s == done) continue;
    s = done;
    for (const Edge& e : n->edges())
      if (e && needed(e)) {
        filter_->needed_nodes.insert(n.get());
        break;
      }
  }
}

void Run::send(const Edge& e, Tensor g) {
  if (!e || !needed(e)) return;
  if (e.node) {
    add_gradient(pending_->nodes.grads_of(*e.node)[e.output_nr], std::move(g), create_);
    return;
  }
  // One leaf is the common end of many paths: its gradients are summed before hooks see them.
  add_gradient(pending_->leaves.grad_of(*e.leaf), std::move(g), create_);
}

/// "middle.bad: Thrower(), called with float32 [2]".
std::string text_of(const ErrorPlace& place) {
  return (place.path.empty() ? "" : place.path + ": ") + place.details;
}

void Run::warn_of(const Node& node) const {
  const bool known = node.extra && node.extra->where;
  warn("Error detected in " + node.name() + ". Traceback of forward call that caused the error:" +
       (known ? "\n  made in " + text_of(*node.extra->where) : std::string("\n  not recorded")));
}

void Run::say_where(const Node& node, Error& error) {
  if (!node.extra || !node.extra->where || error.place()) return;
  auto place = std::make_shared<ErrorPlace>(*node.extra->where);
  place->text = std::string(error.message()) + "\n  in the backward of " + text_of(*place);
  error.set_place(std::move(place));
}

void Run::check_nan(const Node& node, std::span<const Tensor> results) const {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i] && results[i].device().is_cpu() &&
        std::isnan(results[i].detach().to(DType::f64).sum().item<double>()))
      fail<RuntimeError>("Function '{}' returned nan values in its {}th output.", node.name(), i);
}

/// The node's own work between its hooks.
void Run::work(Node& node, std::span<Tensor> grads, std::span<Tensor> results) const {
  const std::shared_ptr<NodeHooks> hooks = node.extra ? node.extra->hooks : nullptr;
  if (hooks) hooks->run_before(node, grads);
  const std::vector<Tensor> given =
      hooks ? std::vector<Tensor>(grads.begin(), grads.end()) : std::vector<Tensor>();
  bool arrived = node.runs_on_nothing();
  for (const Tensor& g : grads) arrived = arrived || g.defined();
  if (arrived) node.backward(grads, results);
  if (hooks) hooks->run_after(node, results, given);
}

void Run::process(Node& node, TensorRow& row) {
  const std::span<Tensor> grads(row);
  if (node.extra) {
    for (const auto& o : node.extra->on_output) {
      Tensor& g = grads[o.output_nr];
      if (!g) continue;
      if (o.hooks) run_hooks(*o.hooks, g);
      if (o.retain) accumulate_into(*o.retain, g, create_);
    }
  }
  if (filter_) {
    if (filter_->capture)
      for (const Place& p : filter_->places)
        if (p.node == &node && grads[p.output_nr]) filter_->captured[p.index] = grads[p.output_nr];
    bool only_captured = true;
    for (const Edge& e : node.edges()) only_captured &= !(e && needed(e));
    if (only_captured) return row.clear();
  }
  TensorRow result_row(node.edges().size());
  const std::span<Tensor> results(result_row);
  if (ambient.anomaly) {
    try {
      work(node, grads, results);
      if (ambient.anomaly == 2) check_nan(node, results);
    } catch (Error& error) {
      warn_of(node);
      say_where(node, error);
      throw;
    } catch (...) {
      warn_of(node);
      throw;
    }
  } else {
    work(node, grads, results);
  }
  if (!keep_) node.release_saved();
  const std::span<Edge> edges = node.edges();
  row.clear();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i]) continue;
    if (!results[i]) {  // visited all the same: some nodes make gradients out of nothing
      if (edges[i].node && needed(edges[i])) pending_->nodes.grads_of(*edges[i].node);
      continue;
    }
    if (edges[i].leaf) {
      const TensorImpl& l = *edges[i].leaf;
      fit(results[i], l.shape, l.dtype, l.device(), node, i);
    } else {
      const Meta& m = edges[i].node->outputs()[edges[i].output_nr];
      fit(results[i], m.shape, m.dtype, m.device, node, i);
    }
    send(edges[i], std::move(results[i]));
  }
}

void Run::finish_leaf(PendingLeaves::Entry& entry) {
  TensorImpl& t = *entry.leaf;
  if (t.extra && t.extra->hooks) run_hooks(*t.extra->hooks, entry.grad);
  if (filter_ && filter_->capture) {
    for (std::size_t i : filter_->wanted_leaves[&t]) filter_->captured[i] = entry.grad;
    return;
  }
  accumulate_into(t, std::move(entry.grad), create_);
  if (t.extra->accumulated_hooks)
    for (const auto& e : t.extra->accumulated_hooks->snapshot())
      e.call(Tensor(Ref<TensorImpl>::share(&t)));
}

void Run::run() {
  GradMode mode(create_);
  TensorRow grads;
  while (!pending_->nodes.empty()) {
    Node& node = pending_->nodes.pop(grads);
    process(node, grads);
  }
  for (PendingLeaves::Entry& e : pending_->leaves.all()) finish_leaf(e);
}

Tensor seed_of(const Tensor& t, std::span<const Tensor> given, std::size_t i) {
  if (!t.requires_grad())
    fail<RuntimeError>(
        "backward: element {} of tensors does not require grad and does not have a grad_fn", i);
  const Tensor g = i < given.size() ? given[i] : Tensor();
  if (g) {
    if (!(g.shape() == t.shape()))
      fail<ShapeError>(
          "backward: Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a "
          "shape "
          "of {}.",
          i, g.shape(), i, t.shape());
    if (is_floating_point(g.dtype()) != is_floating_point(t.dtype()))
      fail<DTypeError>("backward: grad_output[{}] is {} but output[{}] is {}", i,
                       describe(g.shape(), g.dtype()), i, describe(t.shape(), t.dtype()));
    return g.dtype() == t.dtype() ? g : g.to(t.dtype());
  }
  if (t.numel() != 1)
    fail<RuntimeError>(
        "backward: grad can be implicitly created only for scalar outputs: got shape {}; reduce to "
        "a "
        "scalar first, e.g. sum(), or give the gradient",
        t.shape());
  return ones(t.shape(), {.dtype = t.dtype(), .device = t.device()});
}

void check_counts(std::span<const Tensor> tensors, std::span<const Tensor> grads) {
  if (!grads.empty() && grads.size() != tensors.size())
    fail<ValueError>("backward: got {} tensors and {} gradients", tensors.size(), grads.size());
}

}  // namespace

namespace autograd {

void backward(std::span<const Tensor> tensors, const BackwardOptions& options) {
  check_counts(tensors, options.grad_tensors);
  Run run(options.retain_graph || options.create_graph, options.create_graph);
  for (const Tensor& t : options.inputs)
    if (!t.is_leaf()) t.retain_grad();
  std::vector<Tensor> seeds;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    seeds.push_back(seed_of(tensors[i], options.grad_tensors, i));
  if (!options.inputs.empty()) {
    run.want(options.inputs, false);
    run.find_needed(tensors);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) run.seed(tensors[i], std::move(seeds[i]));
  run.run();
}

std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                         const GradOptions& options) {
  check_counts(outputs, options.grad_outputs);
  if (options.is_grads_batched) return grad_of_each(outputs, inputs, options);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].requires_grad())
      fail<RuntimeError>(
          "autograd::grad: one of the differentiated tensors does not require grad "
          "(input {})",
          i);
  Run run(options.retain_graph.value_or(options.create_graph), options.create_graph);
  std::vector<Tensor> seeds;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    seeds.push_back(seed_of(outputs[i], options.grad_outputs, i));
  run.want(inputs, true);
  run.find_needed(outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) run.seed(outputs[i], std::move(seeds[i]));
  run.run();
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor g = run.captured(i);
    if (!g && options.materialize_grads) g = zeros_like(inputs[i]);
    if (!g && !options.allow_unused)
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
  autograd::BackwardOptions options{.retain_graph = retain_graph, .create_graph = create_graph};
  if (gradient) options.grad_tensors.push_back(gradient);
  autograd::backward(*this, options);
}
void Tensor::backward() const { autograd::backward(*this); }

std::string GradFn::name() const { return node_ ? node_->name() : std::string(); }

std::vector<std::pair<std::string, int>> GradFn::next_functions() const {
  std::vector<std::pair<std::string, int>> result;
  if (node_)
    for (const Edge& e : node_->edges())
      result.emplace_back(e.leaf   ? "AccumulateGrad"
                          : e.node ? e.node->name()
                                   : "",
                          static_cast<int>(e.output_nr));
  return result;
}

GradFn GradFn::next(std::size_t i) const {
  return node_ && i < node_->edges().size() ? GradFn(node_->edges()[i].node) : GradFn();
}

}  // namespace taper
