// HookList: hooks of an optimizer.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "taper/optim/optimizer.h"

namespace taper::optim {

/// Hooks of one kind in order of registration.
template <class Signature> class HookList final : public HookOwner {
 public:
  RemovableHandle add(const std::shared_ptr<HookList>& self, SharedFunction<Signature> hook) {
    const std::uint64_t id = next_hook_id();
    entries_.emplace_back(id, std::move(hook));
    return RemovableHandle(self, id);
  }
  void remove_hook(std::uint64_t id) override {
    std::erase_if(entries_, [id](const auto& e) { return e.first == id; });
  }
  /// Returns a copy of the hooks, because a hook may add or remove hooks while it runs.
  std::vector<std::pair<std::uint64_t, SharedFunction<Signature>>> snapshot() const {
    return entries_;
  }

 private:
  std::vector<std::pair<std::uint64_t, SharedFunction<Signature>>> entries_;
};

template <class Signature> using HookListPtr = std::shared_ptr<HookList<Signature>>;
template <class Signature> HookListPtr<Signature> make_hook_list() {
  return std::make_shared<HookList<Signature>>();
}

struct Optimizer::Hooks {
  using VoidHook = void(Optimizer&);
  using StateDictHook = Value(Optimizer&, const Value&);
  HookListPtr<VoidHook> before_step = make_hook_list<VoidHook>(),
                        after_step = make_hook_list<VoidHook>(),
                        before_state_dict = make_hook_list<VoidHook>(),
                        after_load = make_hook_list<VoidHook>();
  HookListPtr<StateDictHook> after_state_dict = make_hook_list<StateDictHook>(),
                             before_load = make_hook_list<StateDictHook>();
};

inline void run_hooks(const HookListPtr<void(Optimizer&)>& hooks, Optimizer& optimizer) {
  for (const auto& [id, hook] : hooks->snapshot()) hook(optimizer);
}
/// Runs the hooks in order. Each hook receives `value` and replaces it unless it returns None.
inline void run_hooks(const HookListPtr<Value(Optimizer&, const Value&)>& hooks,
                      Optimizer& optimizer, Value& value) {
  for (const auto& [id, hook] : hooks->snapshot())
    if (Value returned = hook(optimizer, value); !returned.is_none()) value = std::move(returned);
}

}  // namespace taper::optim
