#include "nn/module/backward.h"

#include "core/check.h"
#include "taper/autograd/function.h"
#include "taper/core/warning.h"
#include "taper/nn/ref.h"

namespace taper::nn {

BackwardHooks::BackwardHooks(const HookTable* global, const HookTable* own) {
  if (global)
    pre.global = global->backward_pre, full.global = global->backward_of(true),
    non_full.global = global->backward_of(false);
  if (own)
    pre.own = own->backward_pre, full.own = own->backward_of(true),
    non_full.own = own->backward_of(false);
}

namespace {

/// Passes the tensors among `items` through an identity node and calls `setup` with the node.
/// Returns the indices of the tensors; nullopt if none of them requires grad or gradients are not
/// recorded.
template <class Setup>
std::optional<std::vector<std::size_t>> insert_identity_node(Values& items, Setup&& setup) {
  std::vector<std::size_t> indices;
  std::vector<const Tensor*> tensors;
  bool wanted = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_tensor()) continue;
    indices.push_back(i);
    tensors.push_back(&items[i].as_tensor());
    wanted = wanted || tensors.back()->requires_grad();
  }
  if (!wanted || !is_grad_enabled()) return std::nullopt;
  auto context = std::make_shared<autograd::Context>();
  const auto identity = [](autograd::Context&, const std::vector<Tensor>& grads) { return grads; };
  const std::vector<Tensor> wrapped = autograd::detail::apply_custom(
      {"BackwardHookFunctionBackward", false, identity}, context, tensors, [&] {
        std::vector<Tensor> same, non_differentiable;
        for (const Tensor* t : tensors) {
          same.push_back(*t);
          if (!t->requires_grad()) non_differentiable.push_back(*t);
        }
        context->mark_non_differentiable(std::move(non_differentiable));
        return same;
      });
  for (const Tensor& t : wrapped)
    if (t.requires_grad()) {
      setup(t.grad_fn());
      break;
    }
  for (std::size_t k = 0; k < indices.size(); ++k) items[indices[k]] = wrapped[k];
  return indices;
}

/// Returns `count` values: `grads` at the indices `indices`, None elsewhere.
Values scatter_grads(const std::vector<std::size_t>& indices, const std::vector<Tensor>& grads,
                     std::size_t count) {
  Values all(count);
  for (std::size_t k = 0; k < indices.size(); ++k) all[indices[k]] = grads[k];
  return all;
}
std::vector<Tensor> gather_grads(const std::vector<std::size_t>& indices, const Values& all) {
  std::vector<Tensor> grads;
  for (std::size_t i : indices) grads.push_back(Convert<Tensor>::from(all[i]));
  return grads;
}

/// Returns the gradients after a hook: the values it returned, otherwise the arguments as the hook
/// modified them.
Values apply_hook_result(const char* hook, const char* what, Values edited, const Value& returned,
                         std::size_t expected) {
  if (!returned.is_none()) {
    if (!returned.is_tuple() && !returned.is_list())
      fail<TypeError>("{} must return None or a tuple of gradients, but got {}", hook,
                      returned.type_name());
    edited = returned.as_sequence();
  }
  if (edited.size() != expected)
    fail<RuntimeError>("{} returned an invalid number of {}, got {}, but expected {}", hook, what,
                       edited.size(), expected);
  return edited;
}

bool all_none(const Values& values) {
  for (const Value& v : values)
    if (!v.is_none()) return false;
  return true;
}

}  // namespace

Module& BackwardCall::module() const {
  Module* const m = anchor_->self.load(std::memory_order_acquire);
  if (!m) throw_dead_module();
  return *m;
}

void BackwardCall::wrap_inputs(Values& args) {
  num_inputs_ = args.size();
  input_tensors_ = insert_identity_node(args, [&](const GradFn& node) {
    node.register_hook([self = shared_from_this()](const Gradients& in, const Gradients&) {
      return self->on_input_grads(in);
    });
  });
}

void BackwardCall::wrap_result(Value& result) {
  if (!result.is_tensor() && !result.is_tuple())
    warn(
        "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
        "but received " +
        result.class_text());
  Values items = result.is_tuple() ? result.as_tuple() : Values{result};
  num_results_ = items.size();
  result_tensors_ = insert_identity_node(items, [&](const GradFn& node) {
    node.register_hook([self = shared_from_this()](const Gradients&, const Gradients& out) {
      return self->on_result_grads(out);
    });
  });
  if (!result_tensors_) return;
  result = result.is_tuple() ? result.with_items(std::move(items)) : items[0];
}

BackwardCall::Gradients BackwardCall::on_result_grads(const Gradients& grad_output) {
  Module& m = module();
  Values now = scatter_grads(*result_tensors_, grad_output, num_results_);
  hooks_.pre.each([&](const HookEntry<BackwardPreHook>& hook, bool) {
    Values edited = now;
    const Value returned = hook.call(m, edited);
    now = apply_hook_result("Backward pre hook", "grad_output", std::move(edited), returned,
                            num_results_);
  });
  grad_output_ = now;
  if (!input_tensors_) {
    if (hooks_.full) run_without_inputs();
    grad_output_.reset();
  }
  return gather_grads(*result_tensors_, now);
}

void BackwardCall::run_without_inputs() {
  warn(
      "Full backward hook is firing when gradients are computed with respect to module outputs "
      "since no inputs require gradients. See "
      "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
      "#torch.nn.Module.register_full_backward_hook for more details.");
  hooks_.full.each([&](const HookEntry<BackwardHook>& hook, bool) {
    Values no_grads(num_inputs_);
    const Value returned = hook.call(module(), no_grads, *grad_output_);
    const bool unmodified =
        returned.is_none() || (returned.is_tuple() && all_none(returned.as_tuple()));
    if (!unmodified || !all_none(no_grads))
      fail<RuntimeError>(
          "Backward hook for Modules where no input requires gradient should always return None or "
          "None for all gradients.");
  });
}

BackwardCall::Gradients BackwardCall::on_input_grads(const Gradients& grad_input) {
  if (!grad_output_) return {};  // reached without a pass through the results: double backward
  Values now = scatter_grads(*input_tensors_, grad_input, num_inputs_);
  hooks_.full.each([&](const HookEntry<BackwardHook>& hook, bool) {
    Values edited = now;
    const Value returned = hook.call(module(), edited, *grad_output_);
    now =
        apply_hook_result("Backward hook", "grad_input", std::move(edited), returned, num_inputs_);
  });
  grad_output_.reset();
  return gather_grads(*input_tensors_, now);
}

namespace detail {

std::vector<Tensor> gradients_of(const Values& values, std::size_t count) {
  if (values.size() > count)
    fail<TypeError>("backward hook: got {} gradients, expected at most {}", values.size(), count);
  std::vector<Tensor> grads;
  for (const Value& v : values) grads.push_back(Convert<Tensor>::from(v));
  grads.resize(count);
  return grads;
}

void put_gradients(Values& values, const std::vector<Tensor>& gradients) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = gradients[i];
}

}  // namespace detail
}  // namespace taper::nn
