// Calls whose hooks have typed signatures, without conversion to Value.
#include "nn/module/extra.h"
#include "taper/autograd/grad_mode.h"
#include "taper/nn/detail/call.h"

namespace taper::nn {

constinit thread_local int KeepLists::depth_ = 0;
constinit thread_local std::vector<std::shared_ptr<const void>>* KeepLists::retired_ = nullptr;

void KeepLists::retire(std::shared_ptr<const void> list) {
  if (!list || depth_ == 0) return;
  if (!retired_) retired_ = new std::vector<std::shared_ptr<const void>>;
  retired_->push_back(std::move(list));
}

void KeepLists::drop() noexcept { delete std::exchange(retired_, nullptr); }

namespace {

bool all_direct(const HookEntries<Hook>& hooks, const void* forward) {
  for (const HookEntry<Hook>& hook : *hooks)
    if (hook.direct.forward != forward || hook.always_call) return false;
  return true;
}

/// Returns true if global hooks or anomaly mode may be active, which convert calls to Value.
bool watched() { return taper::detail::slow_path_flags.load(std::memory_order_relaxed) != 0; }

}  // namespace

bool detail::has_only_typed_hooks(Module& module, const void* forward) {
  const HookTable* own = ModuleAccess::hooks(module).get();
  if (ModuleAccess::computed_members(module))
    return false;  // computed members must be computed first
  return own && own->forward && !own->forward_pre && !own->backward && !own->backward_pre &&
         !watched() && all_direct(own->forward, forward);
}

bool detail::run_typed_hooks(Module& module, const void* forward, const void* const* args,
                             void* result) {
  const HookTable* own = ModuleAccess::hooks(module).get();
  if (watched() || (own->forward && !all_direct(own->forward, forward))) return false;
  if (!own->forward) return true;  // forward removed the hooks
  const KeepLists keep;
  const auto& list = *own->forward;
  for (const HookEntry<Hook>& hook : list)
    hook.direct.call(hook.call.target(), module, args, result);
  return true;
}

namespace {
struct TakesTensor {
  template <std::size_t> using At = const Tensor&;
};
}  // namespace

Tensor detail::call_hooked_tensor(Module& m, const void* forward_tag,
                                  Tensor (*forward)(Module& m, const Tensor& x), const Tensor& x) {
  auto with_module = [&](const Tensor& input) { return forward(m, input); };
  if (has_only_typed_hooks(m, forward_tag))
    return call_direct<Tensor>(m, forward_tag, with_module, x);
  return call_through_values<Tensor, TakesTensor>(m, with_module, x);
}

}  // namespace taper::nn
