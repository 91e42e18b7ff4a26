// Registering hooks, and calls that run them.
#include <algorithm>

#include "nn/module/extra.h"
#include "taper/core/error.h"
#include "taper/core/warning.h"
#include "taper/nn/call.h"
#include "taper/nn/global_hooks.h"

namespace taper::nn {

std::uint64_t HookTable::add(Which which, Hook hook, const HookOptions& options) {
  const std::uint64_t id = next_hook_id();
  std::lock_guard lock(mutex_);
  auto fresh = lists_[which] ? std::make_shared<std::vector<HookEntry>>(*lists_[which])
                             : std::make_shared<std::vector<HookEntry>>();
  fresh->insert(options.prepend ? fresh->begin() : fresh->end(),
                {id, std::move(hook), options.always_call});
  lists_[which] = std::move(fresh);
  return id;
}

void HookTable::remove_hook(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  for (List& list : lists_) {
    if (!list) continue;
    auto fresh = std::make_shared<std::vector<HookEntry>>(*list);
    std::erase_if(*fresh, [&](const HookEntry& e) { return e.id == id; });
    list = fresh->empty() ? nullptr : std::move(fresh);
  }
}

namespace {

const std::shared_ptr<HookTable>& global_hooks() {
  static const auto table = std::make_shared<HookTable>();
  return table;
}

HookHandle add_to(Module& m, HookTable::Which which, Hook hook, const HookOptions& options) {
  auto& table = ModuleAccess::made_extra(m).hooks;
  if (!table) table = std::make_shared<HookTable>();
  const std::uint64_t id = table->add(which, std::move(hook), options);
  ModuleAccess::set_flag(m, Module::kHooked);
  return {table, id};
}

HookHandle add_global(HookTable::Which which, Hook hook, const HookOptions& options) {
  const std::uint64_t id = global_hooks()->add(which, std::move(hook), options);
  ModuleAccess::global_flags() = Module::kHooked;
  return {global_hooks(), id};
}

/// One call between its hooks. What hooks are, is read when their turn comes.
class Run {
 public:
  Run(HookCall& call, detail::ForwardThunk forward) : call_(call), forward_(forward) {
    if (ModuleAccess::global_flags().load(std::memory_order_relaxed)) tables_[0] = global_hooks();
    if (const auto* extra = ModuleAccess::extra(call.module)) tables_[1] = extra->hooks;
  }

  void go() {
    for (const auto& list : lists(HookTable::kPre))
      if (list)
        for (const HookEntry& hook : *list) hook.call(call_);
    forward_.run(forward_.context, call_);
    for (const auto& list : lists(HookTable::kForward))
      if (list)
        for (const HookEntry& hook : *list) {
          if (hook.always_call) started_.push_back(hook.id);
          hook.call(call_);
        }
  }

  /// After a failure: the hooks that run always and were not started.
  void rescue() noexcept {
    try {
      const auto all = lists(HookTable::kForward);
      for (int own = 0; own < 2; ++own)
        if (all[own])
          for (const HookEntry& hook : *all[own]) rescue(hook, own == 0);
    } catch (...) {  // no memory for a list: the error under way matters more
    }
  }

 private:
  struct Lists {
    HookTable::List list[2];
    HookTable::List* begin() { return list; }
    HookTable::List* end() { return list + 2; }
    const HookTable::List& operator[](int i) const { return list[i]; }
  };
  Lists lists(HookTable::Which which) const {
    Lists l;
    for (int i = 0; i < 2; ++i)
      if (tables_[i]) l.list[i] = tables_[i]->list(which);
    return l;
  }
  void rescue(const HookEntry& hook, bool global) {
    if (!hook.always_call || std::count(started_.begin(), started_.end(), hook.id)) return;
    std::string text = "something that is no std::exception";
    try {
      return hook.call(call_);
    } catch (const Error& e) { text = e.message(); } catch (const std::exception& e) {
      text = e.what();
    } catch (...) {}
    warn(std::string(global ? "global " : "") +
         "module forward hook with ``always_call=True`` raised an exception that was silenced as "
         "another error was raised in forward: " +
         text);
  }

  HookCall& call_;
  detail::ForwardThunk forward_;
  std::shared_ptr<HookTable> tables_[2];  // global, own
  std::vector<std::uint64_t> started_;
};

}  // namespace

HookHandle Module::add_pre_hook(Hook hook, const HookOptions& options) {
  return add_to(*this, HookTable::kPre, std::move(hook), options);
}
HookHandle Module::add_hook(Hook hook, const HookOptions& options) {
  return add_to(*this, HookTable::kForward, std::move(hook), options);
}

namespace detail {

HookHandle add_global_pre_hook(Hook hook) {
  return add_global(HookTable::kPre, std::move(hook), {});
}
HookHandle add_global_hook(Hook hook, const HookOptions& options) {
  return add_global(HookTable::kForward, std::move(hook), {.always_call = options.always_call});
}

void run_hooked_call(HookCall& call, ForwardThunk forward) {
  Run run(call, forward);
  try {
    run.go();
  } catch (Error& e) {
    std::vector<const Tensor*> inputs;
    for (const Value& v : call.args) inputs.push_back(v.is_tensor() ? &v.as_tensor() : nullptr);
    note_place(e, call.module, inputs.data(), inputs.size());
    run.rescue();
    throw;
  } catch (...) {
    run.rescue();
    throw;
  }
}

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
    throw RuntimeError(
        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got " +
        returned.repr() + ".");
  const Values pair = returned.as_tuple();
  call.args = pair[0].as_sequence();
  call.kwargs = pair[1];
}

}  // namespace detail

bool Module::prepare_call() {
  if (call_flags_.load(std::memory_order_relaxed) & kUnchecked) check();
  if (global_call_flags.load(std::memory_order_relaxed)) {
    if (!global_hooks()->empty()) return true;
    global_call_flags = 0;
  }
  if (!(call_flags_.load(std::memory_order_relaxed) & kHooked)) return false;
  if (extra_ && extra_->hooks && !extra_->hooks->empty()) return true;
  call_flags_.fetch_and(static_cast<std::uint8_t>(~kHooked), std::memory_order_relaxed);
  return false;
}

}  // namespace taper::nn
