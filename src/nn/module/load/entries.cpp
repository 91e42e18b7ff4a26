// Loading of single tensors.
#include "nn/module/load/loader.h"
#include "taper/core/error.h"
#include "taper/core/warning.h"

namespace taper::nn {
namespace {

/// Returns the object that replaces a parameter: `source` itself if it is a parameter, otherwise a
/// parameter with its data. It requires grad if the replaced parameter does.
Tensor as_parameter(const Tensor& source, bool is_parameter, bool requires_grad) {
  if (!is_parameter) return Parameter(source, requires_grad);
  source.set_requires_grad(requires_grad);
  return source;
}

/// Returns true if the assignment copies elements and the copy may fail halfway. Copies from a CPU
/// tensor to a contiguous CPU tensor cannot fail.
bool may_fail(const PendingAssignment& p) {
  return !p.assign &&
         (is_lazy(p.own.value) || !(p.own.value.device().is_cpu() && p.source.device().is_cpu() &&
                                    p.own.value.is_contiguous()));
}

}  // namespace

std::string size_text(const Tensor& t) {
  return "torch.Size(" + (is_lazy(t) ? Shape{0} : t.shape()).str() + ")";
}

void StateDictLoader::load_entry(LocalTensor& own, std::string key, const Value& found,
                                 LoadState& state, bool assign, bool takes_shapes) {
  if (!found.is_tensor()) {
    state.errors.push_back("While copying the parameter named \"" + key +
                           "\", expected torch.Tensor or Tensor-like object from checkpoint but "
                           "received " +
                           found.class_text());
    return;
  }
  Tensor source = found.as_tensor();
  const bool lazy = is_lazy(own.value);
  // Before PyTorch 0.4, scalars were stored as 1-D tensors with one element. shape() throws if the
  // source is uninitialized and the module's tensor is not.
  const bool old_scalar =
      !lazy && source.shape().size() == 1 && own.value.dim() == 0 && source.size(0) == 1;
  if (old_scalar) source = source.select(0, 0);
  if (!lazy && !(source.shape() == own.value.shape())) {
    if (options_.ignore_mismatched_shapes)
      return skip(key,
                  "shape " + source.shape().str() + ", the module has " + own.value.shape().str());
    state.errors.push_back("size mismatch for " + key + ": copying a param with shape " +
                           size_text(source) + " from checkpoint, the shape in current model is " +
                           size_text(own.value) + ".");
    return;
  }
  if (own.value.device().is_meta() && !source.device().is_meta() && !assign) {
    warn("for " + key +
         ": copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
         "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the "
         "state dictionary to their corresponding key in the module instead of copying them in "
         "place?)");
    return skip(key, "the module's tensor is on meta");
  }
  const bool swap = get_swap_module_params_on_conversion();
  const bool shapes = lazy && !assign && takes_shapes;
  PendingAssignment assignment{std::move(own), std::move(key), source, assign, swap, shapes};
  if (assign && assignment.own.is_parameter()) {
    try {
      assignment.source = as_parameter(source, found.is_parameter() && !old_scalar && !swap,
                                       assignment.own.value.requires_grad());
    } catch (const Error& e) { return fail_to_apply(assignment, e); }
  }
  enqueue(std::move(assignment));
}

void StateDictLoader::fail_to_apply(const PendingAssignment& p, const Error& e) {
  errors_.push_back(std::string("While ") + (p.swap ? "swapping" : "copying") +
                    " the parameter named \"" + p.key + "\", whose dimensions in the model are " +
                    size_text(p.own.value) + " and whose dimensions in the checkpoint are " +
                    size_text(p.source) +
                    ", an exception occurred : " + Value::tuple({e.message()}).repr() + ".");
}

void StateDictLoader::enqueue(PendingAssignment assignment) {
  if (immediately_)
    apply(assignment, options_.all_or_nothing);
  else
    assignments_.push_back(std::move(assignment));
}

void StateDictLoader::apply(const PendingAssignment& p, bool undoable) {
  const DType before = p.own.value.dtype();
  if (undoable) rollback_.record(p);
  try {
    p.run();
  } catch (const Error& e) {
    if (undoable) rollback_.forget_last();
    return fail_to_apply(p, e);
  }
  if (!options_.report) return;
  options_.report->loaded.push_back(p.key);
  if (!p.assign && before != p.source.dtype())
    options_.report->cast.push_back(
        {p.key, std::string(name_of(p.source.dtype())) + " to " + std::string(name_of(before))});
}

void StateDictLoader::commit() {
  bool risky = false;
  for (const PendingAssignment& p : assignments_) risky = risky || may_fail(p);
  for (const PendingAssignment& p : assignments_) apply(p, risky || !extra_states_.empty());
  if (!errors_.empty()) return;
  for (auto& [module, extra] : extra_states_) {
    rollback_.record_extra_state(*module);
    module->set_extra_state(extra);
  }
}

void StateDictLoader::skip(std::string key, std::string why) {
  if (!options_.report) return;
  if (why != "unexpected") options_.report->untouched.push_back(key);
  options_.report->skipped.push_back({std::move(key), std::move(why)});
}

}  // namespace taper::nn
