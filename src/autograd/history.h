// History of tensors and their views under in-place operations.
#pragma once
#include "autograd/node.h"

namespace taper {

/// Returns true if elements of `t` share memory because of a stride of 0, as in an expanded tensor.
bool overlaps_itself(const TensorImpl& t);
/// Throws RuntimeError unless op `op` may write to the elements of `self`. Rejected are tensors
/// that repeat elements (stride 0), and those that check_inplace_history rejects.
void check_inplace(const Tensor& self, std::string_view op, bool recorded);
/// Throws RuntimeError unless op `op` may change `self` or its geometry in place. Outside of
/// InferenceMode, inference tensors are rejected. While gradients are enabled, leaves that require
/// grad and their views are rejected, and views that were created under no_grad or in a custom
/// function if `recorded` (the op is recorded) or if their base requires grad.
void check_inplace_history(const Tensor& self, std::string_view op, bool recorded);
/// Updates the history after an in-place op: output 0 of `node` is the new value of `self`. If
/// `self` is a view, its base receives a CopySlices node.
void rebase_history(const Tensor& self, Ref<Node> node);
/// Returns true if `t` is a view whose base was rebased after the view's history was computed.
inline bool is_stale_view(const TensorImpl& t) {
  return t.base && t.attr_version != t.base->rebase_count;
}
/// Recomputes the history of a stale view.
void regenerate_grad_fn(TensorImpl& view);

}  // namespace taper
