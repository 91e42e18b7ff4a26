// Calls whose hooks have typed signatures, without conversion to Value.
#include "nn/module/extra.h"
#include "taper/autograd/grad_mode.h"
#include "taper/nn/detail/call.h"

namespace taper::nn {

constinit thread_local int HookListRetainer::depth_ = 0;
constinit thread_local std::vector<std::shared_ptr<const void>>* HookListRetainer::retired_ =
    nullptr;

void HookListRetainer::retire(std::shared_ptr<const void> list) {
  if (!list || depth_ == 0) return;
  if (!retired_) retired_ = new std::vector<std::shared_ptr<const void>>;
  retired_->push_back(std::move(list));
}

void HookListRetainer::release_retired() noexcept { delete std::exchange(retired_, nullptr); }

namespace {

bool are_all_typed(const HookEntries<Hook>& hooks, const void* forward) {
  for (const HookEntry<Hook>& hook : *hooks)
    if (hook.direct.forward != forward || hook.always_call) return false;
  return true;
}

/// Returns true if global hooks or anomaly mode may be active, which convert calls to Value.
bool is_slow_path_active() {
  return taper::detail::slow_path_flags.load(std::memory_order_relaxed) != 0;
}

}  // namespace

bool detail::has_only_typed_hooks(Module& module, const void* forward) {
  const HookTable* own = ModuleAccess::hooks(module).get();
  if (ModuleAccess::computed_members(module))
    return false;  // computed members must be computed first
  return own && own->forward && !own->forward_pre && !own->backward && !own->backward_pre &&
         !is_slow_path_active() && are_all_typed(own->forward, forward);
}

bool detail::run_typed_hooks(Module& module, const void* forward, const void* const* args,
                             void* result) {
  const HookTable* own = ModuleAccess::hooks(module).get();
  if (is_slow_path_active() || (own->forward && !are_all_typed(own->forward, forward)))
    return false;
  if (!own->forward) return true;  // forward removed the hooks
  const HookListRetainer keep;
  const auto& list = *own->forward;
  for (const HookEntry<Hook>& hook : list)
    hook.direct.call(hook.call.target(), module, args, result);
  return true;
}

namespace {
struct TensorArgument {
  template <std::size_t> using At = const Tensor&;
};
}  // namespace

Tensor detail::call_hooked_tensor(Module& m, const void* forward_tag,
                                  Tensor (*forward)(Module& m, const Tensor& x), const Tensor& x) {
  auto with_module = [&](const Tensor& input) { return forward(m, input); };
  if (has_only_typed_hooks(m, forward_tag))
    return call_direct<Tensor>(m, forward_tag, with_module, x);
  return call_through_values<Tensor, TensorArgument>(m, with_module, x);
}

}  // namespace taper::nn
