// How in-place operations change the history of tensors and of what looks into them.
#pragma once
#include "autograd/node.h"

namespace taper {

/// Throws unless `self` may be changed in place by op `op` here and now (leaves, inference tensors,
/// views made under no_grad, tensors whose elements overlap).
void check_inplace(const Tensor& self, std::string_view op, bool recorded);
/// After an in-place op: `node` made the present contents of `self`, as its
/// output 0. If self is a view, its base is rebased onto a copy of slices.
void rebase(const Tensor& self, Ref<Node> node);
/// Returns true if `t` is a view whose base was rebased after the view's history was computed.
inline bool is_stale_view(const TensorImpl& t) {
  return t.base && t.base_version_seen != t.base->history;
}
/// Recomputes the history of a stale view.
void realign_view(TensorImpl& view);

}  // namespace taper
