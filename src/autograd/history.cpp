#include "autograd/history.h"

#include "core/check.h"
#include "core/strided.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

struct Geometry {
  Shape shape, strides;
  std::int64_t offset = 0;  // relative to the offset of the base
};
Geometry geometry(const TensorImpl& view) {
  return {view.shape, view.strides, view.offset - view.base->offset};
}
/// Throws RuntimeError: `view` is an input that a custom function returned.
[[noreturn]] void reject_inplace(const TensorImpl& view, const char* what) {
  std::string name = view.node ? view.node->name() : std::string("a custom Function");
  if (name.ends_with("Backward")) name.resize(name.size() - 8);
  fail<RuntimeError>(
      "Output {} of {} is a view and {}. This view was created inside a custom Function (or "
      "because an input was returned as-is) and the autograd logic to handle view+inplace would "
      "override the custom backward associated with the custom Function, leading to incorrect "
      "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
      "Function.",
      view.output_nr, name, what);
}
TensorMeta meta_of(const TensorImpl& t) { return {t.shape, t.dtype, t.device()}; }

/// Records a write into a view of `base`. Propagates the gradient of the base except for the
/// written elements, whose gradient goes through the op that wrote them.
class CopySlices final : public Node {
 public:
  CopySlices(TensorImpl& base, Geometry where, Ref<Node> fn)
      : geometry_(std::move(where)), fn_(std::move(fn)), edge_list_(fn_->edges().size()) {
    edge_list_[0] = edge_of(base);
    for (std::size_t i = 1; i < edge_list_.size(); ++i) edge_list_[i] = fn_->edges()[i];
    meta_ = meta_of(base);
    if (!base.contiguous) base_strides_ = base.strides;
    edges_ = edge_list_.data(), edge_count_ = static_cast<std::uint32_t>(edge_list_.size());
    outputs_ = &meta_, output_count_ = 1;
  }
  std::string name() const override { return "CopySlices"; }
  void release_saved() override { fn_->release_saved(); }
  void backward(std::span<Tensor> grads, std::span<Tensor> results) override {
    const Tensor& g = grads[0];
    if (!g.defined()) return;
    Tensor whole;
    if (base_strides_.empty()) {
      whole = g.clone();
    } else {  // the base is not row-major (from_blob): use its strides for the gradient
      whole =
          zeros({extent_of(meta_.shape, base_strides_)}, {.dtype = g.dtype(), .device = g.device()})
              .as_strided(meta_.shape, base_strides_, 0);
      whole.copy_(g);
    }
    Tensor slice = whole.as_strided(geometry_.shape, geometry_.strides, geometry_.offset);
    Tensor slice_grad = slice.clone();
    std::vector<Tensor> fn_grads(fn_->edges().size());
    fn_->backward(std::span(&slice_grad, 1), fn_grads);
    if (needs_input_grad(0)) {
      if (fn_grads[0].defined())
        slice.copy_(fn_grads[0]);
      else
        slice.zero_();
      results[0] = whole;
    }
    for (std::size_t i = 1; i < fn_grads.size(); ++i) results[i] = fn_grads[i];
  }

 private:
  Geometry geometry_;
  Shape base_strides_;
  Ref<Node> fn_;
  std::vector<Edge> edge_list_;
  TensorMeta meta_;
};

}  // namespace

bool overlaps_itself(const TensorImpl& t) {
  if (t.numel <= 1) return false;
  for (std::size_t i = 0; i < t.shape.size(); ++i)
    if (t.shape[i] > 1 && t.strides[i] == 0) return true;
  return false;
}

void check_inplace(const Tensor& self, std::string_view op, bool recorded) {
  const TensorImpl& t = impl(self);
  check_inplace_history(self, op, recorded);
  if (overlaps_itself(t))
    fail<RuntimeError>(
        "{}_: unsupported operation: more than one element of the written-to tensor refers to a "
        "single memory location. Please clone() the tensor before performing the operation. (shape "
        "{}, strides {})",
        op, t.shape, t.strides);
}

void check_inplace_history(const Tensor& self, std::string_view op, bool recorded) {
  TensorImpl& t = impl(self);
  if (t.inference && !tls.inference)
    fail<RuntimeError>(
        "{}_: Inplace update to inference tensor outside InferenceMode is not allowed. You can "
        "make a clone to get a normal tensor before doing inplace update.",
        op);
  if (!tls.grad) return;
  if (t.requires_grad && !t.node)
    fail<RuntimeError>(
        "{}_: a leaf Variable that requires grad is being used in an in-place operation.", op);
  if (!t.base) return;
  if (t.base->requires_grad && !t.base->node && t.creation_meta == CreationMeta::normal)
    fail<RuntimeError>(
        "{}_: a view of a leaf Variable that requires grad is being used in an in-place operation.",
        op);
  if (t.creation_meta == CreationMeta::custom && (recorded || t.base->has_grad()))
    reject_inplace(t, "is being modified inplace");
  if (t.creation_meta != CreationMeta::normal && (recorded || t.base->has_grad()))
    fail<RuntimeError>("{}_: {} and is being modified inplace. {}", op,
                       t.creation_meta == CreationMeta::no_grad
                           ? "a view was created in no_grad mode"
                       : t.creation_meta == CreationMeta::inference
                           ? "a view was created in inference mode"
                           : "output 0 of a function that returns multiple views",
                       "Make the view, or a clone of it, where gradients are recorded.");
}

void rebase_history(const Tensor& self, Ref<Node> node) {
  TensorImpl& t = impl(self);
  if (!t.base) {
    const bool retained = t.node && t.extra && t.extra->retains_grad;
    if (retained) clear_retains_grad(*t.node, &t);
    t.node = std::move(node), t.output_nr = 0;
    t.requires_grad = false;
    ++t.rebase_count;
    if (retained) self.retain_grad();
    return;
  }
  TensorImpl& base = *t.base;
  const Geometry where = geometry(t);
  Ref<Node> slices = Ref<Node>::adopt(new CopySlices(base, where, std::move(node)));
  base.node = std::move(slices), base.output_nr = 0;
  base.requires_grad = false;
  ++base.rebase_count;
  regenerate_grad_fn(t);
}

void regenerate_grad_fn(TensorImpl& view) {
  TensorImpl& base = *view.base;
  if (view.creation_meta == CreationMeta::custom && base.node)
    reject_inplace(view, "its base or another view of its base has been modified inplace");
  view.attr_version = base.rebase_count;
  if (!base.node) return;
  EnableGrad guard;
  const Geometry where = geometry(view);
  // The view takes over the node of as_strided applied to a new handle of the base.
  const Tensor whole(view.base);
  const Tensor regenerated =
      whole.as_strided(where.shape, where.strides, base.offset + where.offset);
  view.node = regenerated.impl()->node;
  view.output_nr = 0;
  view.requires_grad = false;
}

}  // namespace taper
