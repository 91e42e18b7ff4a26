#include "autograd/node.h"

#include "autograd/history.h"
#include "core/check.h"
#include "core/observer.h"
#include "core/per_thread.h"
#include "taper/autograd/grad_mode.h"
#include "taper/autograd/saved_tensors.h"

namespace taper {

std::uint64_t Node::next_sequence_nr() {
  static std::atomic<std::uint64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

Node::~Node() = default;

void Node::report_creation() noexcept {
  try {
    detail::CallFrame* const call = tls.anomaly ? detail::current_call_frame() : nullptr;
    if (call) extras().forward_context = call->context(*call);
    if (tls.observer) tls.observer->node_created(sequence_nr);
  } catch (...) {  // best effort: a failure to record the error context must not fail the op
  }
}

void Node::finish() noexcept {
  struct DeferredDeletion {
    std::vector<Node*> list;
    bool running = false;
  };
  DeferredDeletion& deferred = PerThread<DeferredDeletion>::get();
  if (deferred.running) {
    deferred.list.push_back(this);
    return;
  }
  deferred.running = true;
  dispose();
  while (!deferred.list.empty()) {
    Node* next = deferred.list.back();
    deferred.list.pop_back();
    next->dispose();
  }
  deferred.running = false;
}

Edge edge_of(TensorImpl& t) {
  if (is_stale_view(t)) regenerate_grad_fn(t);
  Edge e;
  if (t.node) {
    e.node = t.node;
    e.output_nr = t.output_nr;
  } else if (t.requires_grad) {
    e.leaf = Ref<TensorImpl>::share(&t);
  }
  return e;
}

SavedVariable::SavedVariable(const Tensor& t, bool own_output) {
  TensorImpl& i = impl(t);
  if (i.inference)
    fail<RuntimeError>(
        "Inference tensors cannot be saved for backward. To work around you can make a clone to "
        "get a normal tensor and use it in autograd.");
  if (tls.saved_hooks) {
    packed_ = std::make_unique<Packed>(Packed{*tls.saved_hooks, {}});
    NoGrad guard;
    packed_->data = packed_->hooks->pack(Tensor(i.alias()));
    return;
  }
  // Only a leaf is stored itself. Any other handle could own the node that stores it, which would
  // be a reference cycle.
  leaf_ = !own_output && i.requires_grad && !i.node;
  if (leaf_)
    tensor_ = t;
  else
    tensor_ = Tensor(i.alias());
  version_ = i.version().load(std::memory_order_relaxed);
}

void SavedVariable::check(const Node& node, const Edge* edge, std::uint32_t output_nr) const {
  if (released_)
    fail<RuntimeError>(
        "Trying to backward through the graph a second time (or directly access saved tensors "
        "after they have already been freed). Saved intermediate values of the graph are freed "
        "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
        "backward through the graph a second time or if you need to access saved tensors after "
        "calling backward. (in {})",
        node.name());
  if (packed_) return;
  const TensorImpl& t = impl(tensor_);
  const std::uint32_t now = t.version().load(std::memory_order_relaxed);
  if (now != version_)
    fail<RuntimeError>(
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation: [{} {}], which is output {} of {}, is at version {}; expected version {} "
        "instead. Hint: enable anomaly detection (taper::DetectAnomaly) to find the operation that "
        "failed to compute its gradient.",
        t.dtype, t.shape, output_nr,
        edge ? (edge->node ? edge->node->name() : std::string("a leaf")) : node.name(), now,
        version_);
}

const Tensor* SavedVariable::peek(const Node& node, const Edge* edge,
                                  std::uint32_t output_nr) const {
  if (packed_ || (tls.grad && !leaf_)) return nullptr;
  check(node, edge, output_nr);
  return &tensor_;
}

Tensor SavedVariable::unpack(const Node& node, const Edge* edge, std::uint32_t output_nr) const {
  check(node, edge, output_nr);
  if (leaf_) return tensor_;
  Ref<TensorImpl> t;
  if (packed_) {
    NoGrad guard;
    t = packed_->hooks->unpack(packed_->data).detach().handle();
  } else {
    t = impl(tensor_).alias();
  }
  if (!edge) {
    t->node = Ref<Node>::share(const_cast<Node*>(&node));
    t->output_nr = output_nr;
  } else if (edge->node) {
    t->node = edge->node;
    t->output_nr = output_nr;
  } else if (edge->leaf && tls.grad) {  // new handle whose gradient reaches the leaf
    t->node = Tensor(edge->leaf).view(edge->leaf->shape).impl()->node;
  }
  return Tensor(std::move(t));
}

}  // namespace taper
