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
template <class Setup> std::optional<std::vector<std::size_t>> wrap(Values& items, Setup&& setup) {
  std::vector<std::size_t> places;
  std::vector<const Tensor*> tensors;
  bool wanted = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_tensor()) continue;
    places.push_back(i);
    tensors.push_back(&items[i].as_tensor());
    wanted = wanted || tensors.back()->requires_grad();
  }
  if (!wanted || !is_grad_enabled()) return std::nullopt;
  auto context = std::make_shared<autograd::Context>();
  const auto identity = [](autograd::Context&, const std::vector<Tensor>& grads) { return grads; };
  const std::vector<Tensor> made = autograd::detail::apply_custom(
      {"BackwardHookFunctionBackward", false, identity}, context, tensors, [&] {
        std::vector<Tensor> same, without;
        for (const Tensor* t : tensors) {
          same.push_back(*t);
          if (!t->requires_grad()) without.push_back(*t);
        }
        context->mark_non_differentiable(std::move(without));
        return same;
      });
  for (const Tensor& t : made)
    if (t.requires_grad()) {
      setup(t.grad_fn());
      break;
    }
  for (std::size_t k = 0; k < places.size(); ++k) items[places[k]] = made[k];
  return places;
}

/// Returns `count` values: `grads` at the indices `places`, None elsewhere.
Values spread(const std::vector<std::size_t>& places, const std::vector<Tensor>& grads,
              std::size_t count) {
  Values all(count);
  for (std::size_t k = 0; k < places.size(); ++k) all[places[k]] = grads[k];
  return all;
}
std::vector<Tensor> gather(const std::vector<std::size_t>& places, const Values& all) {
  std::vector<Tensor> grads;
  for (std::size_t i : places) grads.push_back(Convert<Tensor>::from(all[i]));
  return grads;
}

/// Returns the gradients after a hook: the values it returned, otherwise the arguments as the hook
/// modified them.
Values replaced(const char* hook, const char* what, Values edited, const Value& returned,
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
  inputs_ = args.size();
  input_tensors_ = wrap(args, [&](const GradFn& node) {
    node.register_hook([self = shared_from_this()](const Gradients& in, const Gradients&) {
      return self->at_inputs(in);
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
  results_ = items.size();
  result_tensors_ = wrap(items, [&](const GradFn& node) {
    node.register_hook([self = shared_from_this()](const Gradients&, const Gradients& out) {
      return self->at_results(out);
    });
  });
  if (!result_tensors_) return;
  result = result.is_tuple() ? Value::tuple(std::move(items)) : items[0];
}

BackwardCall::Gradients BackwardCall::at_results(const Gradients& grad_output) {
  Module& m = module();
  Values now = spread(*result_tensors_, grad_output, results_);
  hooks_.pre.each([&](const HookEntry<BackwardPreHook>& hook, bool) {
    Values edited = now;
    const Value returned = hook.call(m, edited);
    now = replaced("Backward pre hook", "grad_output", std::move(edited), returned, results_);
  });
  grad_output_ = now;
  if (!input_tensors_) {
    if (hooks_.full) run_without_inputs();
    grad_output_.reset();
  }
  return gather(*result_tensors_, now);
}

void BackwardCall::run_without_inputs() {
  warn(
      "Full backward hook is firing when gradients are computed with respect to module outputs "
      "since no inputs require gradients. See "
      "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
      "#torch.nn.Module.register_full_backward_hook for more details.");
  hooks_.full.each([&](const HookEntry<BackwardHook>& hook, bool) {
    Values nothing(inputs_);
    const Value returned = hook.call(module(), nothing, *grad_output_);
    const bool kept = returned.is_none() || (returned.is_tuple() && all_none(returned.as_tuple()));
    if (!kept || !all_none(nothing))
      fail<RuntimeError>(
          "Backward hook for Modules where no input requires gradient should always return None or "
          "None for all gradients.");
  });
}

BackwardCall::Gradients BackwardCall::at_inputs(const Gradients& grad_input) {
  if (!grad_output_) return {};  // reached without a pass through the results: double backward
  Values now = spread(*input_tensors_, grad_input, inputs_);
  hooks_.full.each([&](const HookEntry<BackwardHook>& hook, bool) {
    Values edited = now;
    const Value returned = hook.call(module(), edited, *grad_output_);
    now = replaced("Backward hook", "grad_input", std::move(edited), returned, inputs_);
  });
  grad_output_.reset();
  return gather(*input_tensors_, now);
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
