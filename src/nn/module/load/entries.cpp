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
  return !p.assign && (is_lazy(p.target.value) ||
                       !(p.target.value.device().is_cpu() && p.source.device().is_cpu() &&
                         p.target.value.is_contiguous()));
}

}  // namespace

std::string size_text(const Tensor& t) {
  return "torch.Size(" + (is_lazy(t) ? Shape{0} : t.shape()).str() + ")";
}

void StateDictLoader::load_entry(LocalTensor& target, std::string key, const Value& found,
                                 LoadState& state, bool assign, bool adopts_loaded_shapes) {
  if (!found.is_tensor()) {
    state.errors.push_back("While copying the parameter named \"" + key +
                           "\", expected torch.Tensor or Tensor-like object from checkpoint but "
                           "received " +
                           found.class_text());
    return;
  }
  Tensor source = found.as_tensor();
  const bool lazy = is_lazy(target.value);
  // Before PyTorch 0.4, scalars were stored as 1-D tensors with one element. shape() throws if the
  // source is uninitialized and the module's tensor is not.
  const bool is_legacy_scalar =
      !lazy && source.shape().size() == 1 && target.value.dim() == 0 && source.size(0) == 1;
  if (is_legacy_scalar) source = source.select(0, 0);
  if (!lazy && !(source.shape() == target.value.shape())) {
    if (options_.ignore_mismatched_shapes)
      return report_skipped(
          key, "shape " + source.shape().str() + ", the module has " + target.value.shape().str());
    state.errors.push_back("size mismatch for " + key + ": copying a param with shape " +
                           size_text(source) + " from checkpoint, the shape in current model is " +
                           size_text(target.value) + ".");
    return;
  }
  if (target.value.device().is_meta() && !source.device().is_meta() && !assign) {
    warn("for " + key +
         ": copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
         "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the "
         "state dictionary to their corresponding key in the module instead of copying them in "
         "place?)");
    return report_skipped(key, "the module's tensor is on meta");
  }
  const bool swap = get_swap_module_params_on_conversion();
  const bool shapes = lazy && !assign && adopts_loaded_shapes;
  PendingAssignment assignment{std::move(target), std::move(key), source, assign, swap, shapes};
  if (assign && assignment.target.is_parameter()) {
    try {
      assignment.source = as_parameter(source, found.is_parameter() && !is_legacy_scalar && !swap,
                                       assignment.target.value.requires_grad());
    } catch (const Error& e) { return record_apply_error(assignment, e); }
  }
  enqueue(std::move(assignment));
}

void StateDictLoader::record_apply_error(const PendingAssignment& p, const Error& e) {
  errors_.push_back(std::string("While ") + (p.swap ? "swapping" : "copying") +
                    " the parameter named \"" + p.key + "\", whose dimensions in the model are " +
                    size_text(p.target.value) + " and whose dimensions in the checkpoint are " +
                    size_text(p.source) +
                    ", an exception occurred : " + Value::tuple({e.message()}).repr() + ".");
}

void StateDictLoader::enqueue(PendingAssignment assignment) {
  if (assign_immediately_)
    apply(assignment, options_.all_or_nothing);
  else
    assignments_.push_back(std::move(assignment));
}

void StateDictLoader::apply(const PendingAssignment& p, bool undoable) {
  const DType before = p.target.value.dtype();
  if (undoable) rollback_.record(p);
  try {
    p.run();
  } catch (const Error& e) {
    if (undoable) rollback_.pop_record();
    return record_apply_error(p, e);
  }
  if (!options_.report) return;
  options_.report->loaded.push_back(p.key);
  if (!p.assign && before != p.source.dtype())
    options_.report->cast.push_back(
        {p.key, std::string(name_of(p.source.dtype())) + " to " + std::string(name_of(before))});
}

void StateDictLoader::commit() {
  bool needs_rollback = false;
  for (const PendingAssignment& p : assignments_) needs_rollback = needs_rollback || may_fail(p);
  for (const PendingAssignment& p : assignments_)
    apply(p, needs_rollback || !extra_states_.empty());
  if (!errors_.empty()) return;
  for (auto& [module, extra] : extra_states_) {
    rollback_.record_extra_state(*module);
    module->set_extra_state(extra);
  }
}

void StateDictLoader::report_skipped(std::string key, std::string reason) {
  if (!options_.report) return;
  if (reason != "unexpected") options_.report->untouched.push_back(key);
  options_.report->skipped.push_back({std::move(key), std::move(reason)});
}

}  // namespace taper::nn
