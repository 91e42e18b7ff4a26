// The hooks of one module, or of all.
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
  bool replaces = false;  ///< of state_dict: what it returns counts
  detail::DirectHook direct{};
};
/// Hooks in order, null when there are none. Readers take the list as it is, writers put a new one
/// in its place: a hook may register and remove hooks while its list runs.
template <class F> using HookEntries = std::shared_ptr<const std::vector<HookEntry<F>>>;

/// While one exists, lists that hooks replace on this thread live on: who runs them need not hold
/// them. (Hooks are not registered while other threads call.)
class KeepLists {
 public:
  KeepLists() noexcept { ++depth_; }
  ~KeepLists() {
    if (--depth_ == 0 && retired_) drop();
  }
  KeepLists(const KeepLists&) = delete;
  KeepLists& operator=(const KeepLists&) = delete;
  /// A list that is no longer in its table.
  static void retire(std::shared_ptr<const void> list);

 private:
  static void drop() noexcept;
  static constinit thread_local int depth_;
  static constinit thread_local std::vector<std::shared_ptr<const void>>* retired_;
};

class HookTable final : public HookOwner {
 public:
  HookTable() = default;
  HookTable(const HookTable&) = default;
  ~HookTable() override {
    each([](auto& list) { KeepLists::retire(std::move(list)); });
  }
  HookEntries<Hook> forward_pre, forward;
  HookEntries<BackwardPreHook> backward_pre;
  HookEntries<BackwardHook> backward;
  std::optional<bool> is_full;  ///< of all `backward` hooks, from the first one on
  HookEntries<StateDictPreHook> state_dict_pre;
  HookEntries<StateDictHook> state_dict;
  HookEntries<LoadStateDictPreHook> load_pre;
  HookEntries<LoadStateDictPostHook> load_post;

  /// The handle's number. `entry` has none yet.
  template <class F>
  std::uint64_t add(HookEntries<F> HookTable::*list, HookEntry<F> entry, bool prepend = false) {
    auto fresh = copy_of(this->*list);
    const std::uint64_t id = entry.id = next_hook_id();
    fresh->insert(prepend ? fresh->begin() : fresh->end(), std::move(entry));
    KeepLists::retire(std::exchange(this->*list, std::move(fresh)));
    return id;
  }
  void remove_hook(std::uint64_t id) override {
    each([id](auto& list) {
      if (!list) return;
      auto fresh = copy_of(list);
      std::erase_if(*fresh, [id](const auto& e) { return e.id == id; });
      if (fresh->size() == list->size()) return;
      if (fresh->empty()) fresh = nullptr;
      KeepLists::retire(std::exchange(list, std::move(fresh)));
    });
  }
  /// Some that run around a call.
  bool has_call_hooks() const { return forward_pre || forward || backward_pre || backward; }
  /// Backward hooks that are all of the kind: null if they are of the other.
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

/// Hooks of every module.
const std::shared_ptr<HookTable>& global_hooks();
/// Set in taper::detail::watched_calls while there are some.
inline constexpr std::uint32_t kGlobalHooks = 1;

/// One kind of hooks, of all modules and of one, as they are now: global ones first.
template <class F> struct HookLists {
  HookEntries<F> global, own;
  explicit operator bool() const { return global || own; }
  /// `visit(entry, is_global)` in the order they run.
  template <class Visit> void each(Visit visit) const {
    if (global)
      for (const HookEntry<F>& e : *global) visit(e, true);
    if (own)
      for (const HookEntry<F>& e : *own) visit(e, false);
  }
};

}  // namespace taper::nn
