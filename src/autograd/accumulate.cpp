#include "autograd/accumulate.h"

namespace taper {
namespace {

/// Returns true if `t` is the only reference to its tensor and storage, and is neither a result nor
/// a view.
bool is_sole_owner(const Tensor& t) {
  const TensorImpl& i = impl(t);
  return i.use_count() == 1 && i.storage->use_count() == 1 && !i.node && !i.base;
}

}  // namespace

bool is_exclusive(const Tensor& total) { return is_sole_owner(total) && impl(total).contiguous; }

void add_gradient(Tensor& total, Tensor g, bool create_graph) {
  if (!total.defined()) {
    total = std::move(g);
  } else if (!create_graph && is_exclusive(total)) {
    total.add_(g);
  } else {
    total = total.add(g);
  }
}

void accumulate_into(TensorImpl& leaf, Tensor g, bool create_graph) {
  const LeafLock lock(leaf);
  Tensor& grad = leaf.autograd_meta().grad;
  if (!grad.defined()) {
    if (create_graph) {
      grad = is_sole_owner(g) || impl(g).node ? g : g.clone();
      return;
    }
    if (is_exclusive(g)) {
      grad = std::move(g);
    } else {
      NoGrad guard;
      grad = g.clone();
    }
    return;
  }
  if (create_graph)
    grad = grad.add(g);
  else {
    NoGrad guard;
    grad.add_(g);
  }
}

}  // namespace taper
