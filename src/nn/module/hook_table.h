// HookTable: hooks of one module, or of all modules.
#pragma once
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "taper/nn/backward_hooks.h"
#include "taper/nn/state_hooks.h"

namespace taper::nn {

template <class F> struct HookEntry {
  std::uint64_t id;
  F call;
  bool with_kwargs = false, always_call = false;
  bool replaces = false;  ///< for state_dict: the return value replaces the dict
  detail::TypedHook direct{};
};
/// Hooks in order; null if there are none. Lists are immutable and replaced on modification,
/// because a hook may register and remove hooks while its list runs.
template <class F> using HookEntries = std::shared_ptr<const std::vector<HookEntry<F>>>;

/// Within the lifetime of an object of this class, hook lists that are replaced on this thread are
/// not destroyed, so that running a list does not need to own it. Hooks must not be registered
/// while other threads call the module.
class HookListRetainer {
 public:
  HookListRetainer() noexcept { ++depth_; }
  ~HookListRetainer() {
    if (--depth_ == 0 && retired_) release_retired();
  }
  HookListRetainer(const HookListRetainer&) = delete;
  HookListRetainer& operator=(const HookListRetainer&) = delete;
  /// Retains a list that was removed from its table, if an object of this class exists on this
  /// thread.
  static void retire(std::shared_ptr<const void> list);

 private:
  static void release_retired() noexcept;
  static constinit thread_local int depth_;
  static constinit thread_local std::vector<std::shared_ptr<const void>>* retired_;
};

class HookTable final : public HookOwner {
 public:
  HookTable() = default;
  HookTable(const HookTable&) = default;
  ~HookTable() override {
    each([](auto& list) { HookListRetainer::retire(std::move(list)); });
  }
  HookEntries<Hook> forward_pre, forward;
  HookEntries<BackwardPreHook> backward_pre;
  HookEntries<BackwardHook> backward;
  std::optional<bool> is_full;  ///< kind of all `backward` hooks, determined by the first one
  HookEntries<StateDictPreHook> state_dict_pre;
  HookEntries<StateDictHook> state_dict;
  HookEntries<LoadStateDictPreHook> load_pre;
  HookEntries<LoadStateDictPostHook> load_post;

  /// Adds a hook and returns its id, which is assigned here.
  template <class F>
  std::uint64_t add(HookEntries<F> HookTable::*list, HookEntry<F> entry, bool prepend = false) {
    auto copy = copy_of(this->*list);
    const std::uint64_t id = entry.id = next_hook_id();
    copy->insert(prepend ? copy->begin() : copy->end(), std::move(entry));
    HookListRetainer::retire(std::exchange(this->*list, std::move(copy)));
    return id;
  }
  void remove_hook(std::uint64_t id) override {
    each([id](auto& list) {
      if (!list) return;
      auto copy = copy_of(list);
      std::erase_if(*copy, [id](const auto& e) { return e.id == id; });
      if (copy->size() == list->size()) return;
      if (copy->empty()) copy = nullptr;
      HookListRetainer::retire(std::exchange(list, std::move(copy)));
    });
  }
  /// Returns true if a call of the module must run or register hooks: if there are forward or
  /// backward hooks, or pre-hooks of either.
  bool has_call_hooks() const { return forward_pre || forward || backward_pre || backward; }
  /// Returns the backward hooks if they are full (`full`) or non-full (otherwise), null if they are
  /// of the other kind.
  HookEntries<BackwardHook> backward_of(bool full) const {
    return is_full == full ? backward : nullptr;
  }

 private:
  template <class F>
  static std::shared_ptr<std::vector<HookEntry<F>>> copy_of(const HookEntries<F>& list) {
    return list ? std::make_shared<std::vector<HookEntry<F>>>(*list)
                : std::make_shared<std::vector<HookEntry<F>>>();
  }
  template <class Visit> void each(Visit visit) {
    visit(forward_pre), visit(forward), visit(backward_pre), visit(backward);
    visit(state_dict_pre), visit(state_dict), visit(load_pre), visit(load_post);
  }
};

/// Hooks of all modules.
const std::shared_ptr<HookTable>& global_hooks();
/// Bit of taper::detail::slow_path_flags. It is set when a global hook is registered, and cleared
/// by the first call without global hooks.
inline constexpr std::uint32_t kGlobalHooks = 1;

/// Snapshot of one kind of hooks, of all modules and of one module.
template <class F> struct HookLists {
  HookEntries<F> global, own;
  explicit operator bool() const { return global || own; }
  /// Calls `visit(entry, is_global)` in the order in which hooks run: global hooks first.
  template <class Visit> void each(Visit visit) const {
    if (global)
      for (const HookEntry<F>& e : *global) visit(e, true);
    if (own)
      for (const HookEntry<F>& e : *own) visit(e, false);
  }
};

}  // namespace taper::nn
