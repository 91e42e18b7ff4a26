// Calls with hooks.
#include <algorithm>

#include "core/check.h"
#include "core/observer.h"
#include "nn/module/backward.h"
#include "nn/module/computed_members.h"
#include "nn/module/error_context.h"
#include "taper/core/warning.h"
#include "taper/nn/detail/call.h"

namespace taper::nn {
namespace {

bool has_call_hooks(const HookTable* table) { return table && table->has_call_hooks(); }

bool has_computed_members(const Module& module) {
  const auto& members = ModuleAccess::computed_members(module);
  return members && !members->computed.empty();
}

/// Calls a module and its hooks. Each list of hooks is read when its stage begins.
class HookedCall {
 public:
  HookedCall(HookCall& call, detail::ForwardThunk forward) : call_(call), forward_(forward) {
    hooked_ = has_call_hooks(global_table()) || has_call_hooks(local_table());
  }

  void invoke() {
    if (computed_members_) computed_members_->refresh(call_.module);
    if (!hooked_) return forward_.run(forward_.context, call_);
    std::optional<BackwardHooks> backward;
    if (has_backward(global_table()) || has_backward(local_table()))
      backward.emplace(global_table(), local_table());
    each(&HookTable::forward_pre, [&](const HookEntry<Hook>& hook, bool) { hook.call(call_); });
    std::shared_ptr<BackwardCall> backward_call;
    if (backward && (backward->full || backward->pre)) {
      backward_call = std::make_shared<BackwardCall>(call_.module, *backward);
      backward_call->wrap_inputs(call_.args);
    }
    forward_.run(forward_.context, call_);
    run_forward_hooks();
    if (backward_call) backward_call->wrap_result(call_.result);
    if (backward && backward->non_full) register_non_full_hooks(call_, backward->non_full);
  }

  void run_forward_hooks() {
    each(&HookTable::forward, [&](const HookEntry<Hook>& hook, bool) {
      if (hook.always_call) started_hook_ids_.push_back(hook.id);
      hook.call(call_);
    });
  }

  /// After a failure, runs the hooks with always_call that were not started.
  void run_always_called_hooks() noexcept {
    if (!hooked_) return;
    try {
      each(&HookTable::forward, [&](const HookEntry<Hook>& hook, bool global) {
        if (hook.always_call &&
            !std::count(started_hook_ids_.begin(), started_hook_ids_.end(), hook.id))
          run_always_called_hooks(hook, global);
      });
    } catch (...) {  // no memory for a list: the original error takes precedence
    }
  }

 private:
  // Read at every stage, because forward may register the first hook.
  static const HookTable* global_table() {
    const bool has_global_hooks =
        taper::detail::slow_path_flags.load(std::memory_order_relaxed) & kGlobalHooks;
    return has_global_hooks ? global_hooks().get() : nullptr;
  }
  const HookTable* local_table() const { return ModuleAccess::hooks(call_.module).get(); }
  /// Calls `visit(hook, is_global)` for the current hooks of one kind, global hooks first.
  template <class Visit> void each(HookEntries<Hook> HookTable::*which, Visit visit) const {
    const HookTable *global = global_table(), *own = local_table();
    const auto* const global_hook_list = global ? (global->*which).get() : nullptr;
    const auto* const local_hooks = own ? (own->*which).get() : nullptr;
    if (global_hook_list)
      for (const HookEntry<Hook>& hook : *global_hook_list) visit(hook, true);
    if (local_hooks)
      for (const HookEntry<Hook>& hook : *local_hooks) visit(hook, false);
  }
  // Other threads must not write computed members while forward reads them.
  static std::unique_lock<std::recursive_mutex> lock_computed_members(
      ComputedMembers* computed_members) {
    using Lock = std::unique_lock<std::recursive_mutex>;
    return computed_members && !computed_members->computed.empty()
               ? Lock(computed_members->refresh_mutex)
               : Lock();
  }
  static bool has_backward(const HookTable* table) {
    return table && (table->backward || table->backward_pre);
  }
  void run_always_called_hooks(const HookEntry<Hook>& hook, bool global) {
    std::string text = "an exception not derived from std::exception";
    try {
      if (!global || !hook.with_kwargs) return hook.call(call_);
      Value none;  // global hooks receive only the positional arguments
      HookCall positional{call_.module, call_.args, none, call_.result};
      return hook.call(positional);
    } catch (const Error& e) { text = e.message(); } catch (const std::exception& e) {
      text = e.what();
    } catch (...) {}
    warn(std::string(global ? "global " : "") +
         "module forward hook with ``always_call=True`` raised an exception that was silenced as "
         "another error was raised in forward: " +
         text);
  }

  const HookListRetainer keep_;
  HookCall& call_;
  detail::ForwardThunk forward_;
  const std::shared_ptr<ComputedMembers> computed_members_ =
      ModuleAccess::computed_members(call_.module);
  const std::unique_lock<std::recursive_mutex> compute_lock_ =
      lock_computed_members(computed_members_.get());
  bool hooked_;  // if false, hooks that forward registers take effect in the next call
  std::vector<std::uint64_t> started_hook_ids_;
};

}  // namespace

namespace detail {
namespace {
constinit thread_local const Module* called_module = nullptr;
}

CallInProgress::CallInProgress(const Module& module) noexcept
    : outer_(std::exchange(called_module, &module)) {}
CallInProgress::~CallInProgress() { called_module = outer_; }
const Module* CallInProgress::module() noexcept { return called_module; }

void run_hooked_call(HookCall& call, ForwardThunk forward) {
  const ObservedScope observed([&] {
    return ScopeInfo{.kind = ScopeKind::module,
                     .name = std::string(call.module.type_name()),
                     .module = &call.module};
  });
  HookedCall run(call, forward);
  const AnomalyFrame watched(call);
  const CallInProgress in_progress(call.module);
  try {
    run.invoke();
  } catch (Error& e) {
    const auto inputs = tensors_of(call.args);
    add_context(e, call.module, inputs.data(), inputs.size());
    run.run_always_called_hooks();
    throw;
  } catch (...) {
    run.run_always_called_hooks();
    throw;
  }
}

void run_forward_hooks(HookCall& call) { HookedCall(call, {}).run_forward_hooks(); }

void replace_args(HookCall& call, Value returned) {
  if (returned.is_none()) return;
  if (returned.is_tuple())
    call.args = returned.as_tuple();
  else
    call.args = Values{std::move(returned)};
}

void replace_args_and_kwargs(HookCall& call, Value returned) {
  if (returned.is_none()) return;
  if (!returned.is_tuple() || returned.size() != 2)
    fail<RuntimeError>(
        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {}.",
        returned.str());
  const Values pair = returned.as_tuple();
  call.args = pair[0].as_sequence();
  call.kwargs = pair[1];
}

}  // namespace detail

void Module::check_nothing_skipped() const {
  if (detail::CallInProgress::module() == this) return;
  const bool global_hooks_run =
      taper::detail::slow_path_flags.load(std::memory_order_relaxed) & kGlobalHooks &&
      global_hooks()->has_call_hooks();
  const bool computes = has_computed_members(*this);
  if (!computes && !global_hooks_run && !has_call_hooks(ModuleAccess::hooks(*this).get())) return;
  fail<RuntimeError>(
      "{}.forward: called directly, which {}: call the module instead, as in `module(input)`",
      type_name(),
      computes ? "does not compute its member '" +
                     ModuleAccess::computed_members(*this)->computed.front().name + "'"
               : "skips its hooks");
}

bool Module::enter_slow_path() const {
  if (call_flags_.load(std::memory_order_relaxed) & kUnchecked) check();
  if (const std::uint32_t watched =
          taper::detail::slow_path_flags.load(std::memory_order_relaxed)) {
    if ((watched & ~kGlobalHooks) && (is_anomaly_enabled() || is_observed())) return true;
    if (watched & kGlobalHooks) {
      if (global_hooks()->has_call_hooks()) return true;
      taper::detail::slow_path_flags.fetch_and(~kGlobalHooks, std::memory_order_relaxed);
    }
  }
  if (!(call_flags_.load(std::memory_order_relaxed) & kHooked)) return false;
  if (has_call_hooks(ModuleAccess::hooks(*this).get()) || has_computed_members(*this)) return true;
  call_flags_.fetch_and(static_cast<std::uint8_t>(~kHooked), std::memory_order_relaxed);
  return false;
}

}  // namespace taper::nn
