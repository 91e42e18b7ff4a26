// Registration and removal of hooks.
#include <ostream>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "nn/module/extra.h"
#include "taper/nn/global_hooks.h"

namespace taper::nn {

const std::shared_ptr<HookTable>& global_hooks() {
  static const NeverDestroyed<std::shared_ptr<HookTable>> table(std::make_shared<HookTable>());
  return *table;
}

namespace {

/// Sets the kind of backward hooks. Throws RuntimeError if full and non-full ones would be mixed,
/// as in PyTorch.
void set_backward_kind(std::optional<bool>& is_full, bool full, const char* where) {
  if (is_full && *is_full != full)
    fail<RuntimeError>(
        "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of "
        "them.",
        where);
  is_full = full;
}

/// Registers a hook of one module. Hooks of the call disable the module's fast call path.
template <class F> RemovableHandle add_local_hook(Module& m, HookEntries<F> HookTable::*list,
                                                  HookEntry<F> entry, bool prepend = false) {
  HookTable& table = ModuleAccess::get_or_create_hooks(m);
  const std::uint64_t id = table.add(list, std::move(entry), prepend);
  if (table.has_call_hooks()) ModuleAccess::set_hooked(m);
  return {ModuleAccess::hooks(m), id};
}

template <class F> RemovableHandle add_global(HookEntries<F> HookTable::*list, HookEntry<F> entry) {
  const std::uint64_t id = global_hooks()->add(list, std::move(entry));
  taper::detail::slow_path_flags.fetch_or(kGlobalHooks);
  return {global_hooks(), id};
}

template <class F> void append_info(const HookEntries<F>& list, std::vector<HookInfo>& out) {
  if (!list) return;
  for (const HookEntry<F>& e : *list) out.push_back({e.id, e.with_kwargs, e.always_call});
}

}  // namespace

RemovableHandle Module::add_pre_hook(detail::ErasedHook hook, const PrependOption& options) {
  return add_local_hook(*this, &HookTable::forward_pre, {0, std::move(hook.call), hook.with_kwargs},
                        options.prepend);
}
RemovableHandle Module::add_hook(detail::ErasedHook hook, const HookOptions& options) {
  return add_local_hook(*this, &HookTable::forward,
                        {.id = 0,
                         .call = std::move(hook.call),
                         .with_kwargs = hook.with_kwargs,
                         .always_call = options.always_call,
                         .direct = hook.direct},
                        options.prepend);
}
RemovableHandle Module::add_backward_pre_hook(BackwardPreHook hook, const PrependOption& options) {
  return add_local_hook(*this, &HookTable::backward_pre, {0, std::move(hook)}, options.prepend);
}
RemovableHandle Module::add_backward_hook(BackwardHook hook, const PrependOption& options) {
  set_backward_kind(ModuleAccess::get_or_create_hooks(*this).is_full, true, "on a single Module");
  return add_local_hook(*this, &HookTable::backward, {0, std::move(hook)}, options.prepend);
}
RemovableHandle Module::add_non_full_backward_hook(BackwardHook hook) {
  set_backward_kind(ModuleAccess::get_or_create_hooks(*this).is_full, false, "on a single Module");
  return add_local_hook(*this, &HookTable::backward, {0, std::move(hook)});
}

RemovableHandle Module::register_state_dict_pre_hook(StateDictPreHook hook) {
  return add_local_hook(*this, &HookTable::state_dict_pre, {0, std::move(hook)});
}
RemovableHandle Module::add_state_dict_hook(StateDictHook hook, bool replaces) {
  return add_local_hook(*this, &HookTable::state_dict,
                        {0, std::move(hook), false, false, replaces});
}
RemovableHandle Module::register_load_state_dict_pre_hook(LoadStateDictPreHook hook) {
  return add_local_hook(*this, &HookTable::load_pre, {0, std::move(hook)});
}
RemovableHandle Module::add_load_post_hook(LoadStateDictPostHook hook) {
  return add_local_hook(*this, &HookTable::load_post, {0, std::move(hook)});
}

namespace detail {

RemovableHandle add_global_pre_hook(Hook hook) {
  return add_global(&HookTable::forward_pre, {0, std::move(hook)});
}
RemovableHandle add_global_hook(ErasedHook hook, const GlobalHookOptions& options) {
  return add_global(&HookTable::forward,
                    {0, std::move(hook.call), hook.with_kwargs, options.always_call});
}
RemovableHandle add_global_backward_pre_hook(BackwardPreHook hook) {
  return add_global(&HookTable::backward_pre, {0, std::move(hook)});
}
RemovableHandle add_global_backward_hook(BackwardHook hook, bool full) {
  set_backward_kind(global_hooks()->is_full, full, "as a global Module hook");
  return add_global(&HookTable::backward, {0, std::move(hook)});
}

}  // namespace detail

HookMap Module::hooks(HookKind kind) const {
  HookMap map{kind};
  const auto& table = ModuleAccess::hooks(*this);
  if (!table) return map;
  switch (kind) {
    case HookKind::forward_pre: append_info(table->forward_pre, map.hooks); break;
    case HookKind::forward: append_info(table->forward, map.hooks); break;
    case HookKind::backward_pre: append_info(table->backward_pre, map.hooks); break;
    case HookKind::backward: append_info(table->backward, map.hooks); break;
    case HookKind::state_dict_pre: append_info(table->state_dict_pre, map.hooks); break;
    case HookKind::state_dict: append_info(table->state_dict, map.hooks); break;
    case HookKind::load_state_dict_pre: append_info(table->load_pre, map.hooks); break;
    case HookKind::load_state_dict_post: append_info(table->load_post, map.hooks); break;
  }
  return map;
}

std::optional<bool> Module::is_full_backward_hook() const {
  const auto& table = ModuleAccess::hooks(*this);
  return table ? table->is_full : std::nullopt;
}

std::string HookMap::str() const {
  static constexpr const char* kNames[] = {
      "forward pre-hook",    "forward hook",    "backward pre-hook",        "backward hook",
      "state_dict pre-hook", "state_dict hook", "load_state_dict pre-hook", "load_state_dict hook"};
  std::string out = "OrderedDict(";
  for (const HookInfo& hook : hooks)
    out += std::string(&hook == hooks.data() ? "[" : ", ") + "(" + std::to_string(hook.id) + ", <" +
           kNames[static_cast<std::size_t>(kind)] + (hook.with_kwargs ? ", with_kwargs" : "") +
           (hook.always_call ? ", always_call" : "") + ">)";
  return out + (hooks.empty() ? ")" : "])");
}

std::ostream& operator<<(std::ostream& out, const HookMap& map) { return out << map.str(); }

}  // namespace taper::nn
