// Nodes of user-defined functions.
#include "taper/autograd/function.h"

#include "autograd/history.h"
#include "core/check.h"
#include "core/thread_local_state.h"
#include "taper/core/factory.h"

namespace taper::autograd {

struct Context::SavedState {
  std::vector<Tensor> to_save, dirty, non_differentiable;
  struct SavedEntry {
    SavedVariable variable{};
    int argument = -1, output = -1;  // which one the tensor is; -1: not one of them
    Edge edge{};                     // history of a tensor that is neither
  };
  std::vector<SavedEntry> saved;
  std::vector<bool> wanted;
  bool materialize = true;
  Node* node = nullptr;  // null after the node is destroyed
};

Context::Context() : saved_state_(std::make_shared<SavedState>()) {}
Context::~Context() = default;
void Context::save_for_backward(std::vector<Tensor> tensors) {
  saved_state_->to_save = std::move(tensors);
}
void Context::mark_dirty(std::vector<Tensor> tensors) { saved_state_->dirty = std::move(tensors); }
void Context::mark_non_differentiable(std::vector<Tensor> tensors) {
  saved_state_->non_differentiable = std::move(tensors);
}
void Context::set_materialize_grads(bool value) { saved_state_->materialize = value; }
bool Context::needs_input_grad(std::size_t i) const {
  return i < saved_state_->wanted.size() && saved_state_->wanted[i];
}

std::vector<Tensor> Context::saved_tensors() const {
  const SavedState& p = *saved_state_;
  if (!p.node) return p.to_save;
  std::vector<Tensor> result;
  for (const SavedState::SavedEntry& s : p.saved) {
    if (!s.variable.has_value()) {
      result.emplace_back();
      continue;
    }
    const Edge* edge = s.output >= 0     ? nullptr
                       : s.argument >= 0 ? &p.node->edges()[static_cast<std::size_t>(s.argument)]
                                         : &s.edge;
    const std::uint32_t nr = s.output >= 0 ? static_cast<std::uint32_t>(s.output) : edge->output_nr;
    result.push_back(s.variable.unpack(*p.node, edge, nr));
  }
  return result;
}

namespace detail {
namespace {

bool contains_tensor(const Tensor& t, const std::vector<Tensor>& list) {
  for (const Tensor& other : list)
    if (other.is_same(t)) return true;
  return false;
}

/// Returns a view that represents an input which forward returned unchanged.
Tensor view_of_input(const Tensor& input) {
  TensorImpl& source = impl(input);
  Ref<TensorImpl> view = source.alias();
  view->base = source.base ? source.base : Ref<TensorImpl>::share(&source);
  view->attr_version = view->base->rebase_count;
  view->creation_meta = CreationMeta::custom;
  return Tensor(std::move(view));
}

class CustomNode final : public Node {
 public:
  CustomNode(CustomOp op, std::shared_ptr<Context> context, std::vector<Edge> edges)
      : op_(std::move(op)), context_(std::move(context)), edge_list_(std::move(edges)) {
    context_->saved_state().node = this;
    edges_ = edge_list_.data(), edge_count_ = static_cast<std::uint32_t>(edge_list_.size());
  }
  ~CustomNode() override { context_->saved_state().node = nullptr; }
  void set_outputs(const std::vector<Tensor>& outs) {
    for (const Tensor& t : outs) metas_.push_back({t.shape(), t.dtype(), t.device()});
    outputs_ = metas_.data(), output_count_ = static_cast<std::uint32_t>(metas_.size());
  }
  std::string name() const override { return op_.name; }
  bool materializes_undefined_grads() const override { return context_->saved_state().materialize; }
  void release_saved() override {
    for (Context::SavedState::SavedEntry& s : context_->saved_state().saved) {
      if (s.variable.has_value()) s.variable.release();
      s.edge = {};
    }
  }
  void backward(std::span<Tensor> grads, std::span<Tensor> results) override {
    std::vector<Tensor> grad_outputs(grads.begin(), grads.end());
    if (context_->saved_state().materialize)
      for (std::size_t i = 0; i < grad_outputs.size(); ++i)
        if (!grad_outputs[i].defined())
          grad_outputs[i] =
              zeros(metas_[i].shape, {.dtype = metas_[i].dtype, .device = metas_[i].device});
    std::vector<Tensor> back;
    {
      GradMode mode(tls.grad && !op_.once_differentiable);
      back = op_.backward(*context_, grad_outputs);
    }
    while (back.size() > results.size() && !back.back().defined()) back.pop_back();
    if (back.size() != results.size())
      fail<RuntimeError>(
          "function {} returned an incorrect number of gradients (expected {}, got {})", op_.name,
          results.size(), back.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
      if (back[i].defined() && tls.grad && op_.once_differentiable)
        reject_double_backward(back[i], grad_outputs);
      results[i] = back[i];
    }
  }

 private:
  /// Detaches a gradient that must not be differentiated again, and attaches a node that throws to
  /// it.
  void reject_double_backward(Tensor& g, const std::vector<Tensor>& grad_outputs) const {
    struct ErrorNode final : Node {
      std::string of;
      Edge edge;
      TensorMeta meta;
      std::string name() const override { return "ErrorBackward"; }
      void backward(std::span<Tensor>, std::span<Tensor>) override {
        fail<RuntimeError>(
            "{}: trying to differentiate twice a function that was marked with once_differentiable",
            of);
      }
      void bind() { edges_ = &edge, edge_count_ = 1, outputs_ = &meta, output_count_ = 1; }
    };
    Edge input_edge;
    for (const Tensor& t : grad_outputs)
      if (Edge e = edge_of(impl(t))) input_edge = e;
    for (const Edge& e : edge_list_)
      if (!input_edge && e) input_edge = e;
    auto* node = new ErrorNode;
    node->of = op_.name;
    node->edge = input_edge;
    node->meta = {g.shape(), g.dtype(), g.device()};
    node->bind();
    g = g.detach();
    impl(g).node = Ref<Node>::adopt(node);
  }

  CustomOp op_;
  std::shared_ptr<Context> context_;
  std::vector<Edge> edge_list_;
  std::vector<TensorMeta> metas_;
};

}  // namespace

std::vector<Tensor> apply_custom(CustomOp op, std::shared_ptr<Context> context,
                                 std::vector<const Tensor*> arguments,
                                 const taper::SharedFunction<std::vector<Tensor>()>& forward) {
  Context::SavedState& p = context->saved_state();
  bool recorded = false;
  std::vector<Edge> edges(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] && arguments[i]->defined()) edges[i] = edge_of(impl(*arguments[i]));
    p.wanted.push_back(static_cast<bool>(edges[i]));
    recorded |= static_cast<bool>(edges[i]);
  }
  recorded &= tls.grad;
  std::vector<Tensor> outs;
  {
    NoGrad guard;
    outs = forward();
  }
  for (const Tensor& t : p.dirty) {
    if (recorded) check_inplace(t, op.name, true);
    impl(t).version().fetch_add(1, std::memory_order_relaxed);
  }
  if (!recorded) return outs;
  auto node = Ref<CustomNode>::adopt(new CustomNode(std::move(op), context, std::move(edges)));
  node->set_outputs(outs);
  const Ref<Node> base = Ref<Node>::share(node.get());
  for (const Tensor& t : p.to_save) {
    Context::SavedState::SavedEntry& s = p.saved.emplace_back();
    if (!t.defined()) continue;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i] && arguments[i]->is_same(t)) s.argument = static_cast<int>(i);
    for (std::size_t i = 0; i < outs.size(); ++i)
      if (outs[i].is_same(t) && s.argument < 0) s.output = static_cast<int>(i);
    if (s.argument < 0 && s.output < 0) s.edge = edge_of(impl(t));
    s.variable = SavedVariable(t, s.output >= 0);
  }
  p.to_save.clear();
  for (std::size_t i = 0; i < outs.size(); ++i) {
    Tensor& t = outs[i];
    if (!is_floating_point(t.dtype()) || contains_tensor(t, p.non_differentiable)) continue;
    if (contains_tensor(t, p.dirty)) {
      rebase_history(t, base);
      impl(t).output_nr = static_cast<std::uint32_t>(i);
      continue;
    }
    for (const Tensor* a : arguments)
      if (a && a->defined() && a->is_same(t)) {
        t = view_of_input(t);
        break;
      }
    impl(t).node = base;
    impl(t).output_nr = static_cast<std::uint32_t>(i);
    impl(t).requires_grad = false;
  }
  p.dirty.clear();
  p.non_differentiable.clear();
  return outs;
}

std::string unqualified_class_name(std::string_view pretty) {
  // "... [with A = {...}; Derived = ns::Scale]" (GCC), "... [Derived = ns::Scale, ...]" (Clang)
  const std::size_t at = pretty.find("Derived = ");
  if (at == std::string_view::npos) return "Function";
  std::string_view name = pretty.substr(at + 10);
  name = name.substr(0, name.find_first_of(";],"));
  const std::size_t colon = name.rfind("::");
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 2));
}

}  // namespace detail
}  // namespace taper::autograd
