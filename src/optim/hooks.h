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

template <class Signature> using Hooked = std::shared_ptr<HookList<Signature>>;
template <class Signature> Hooked<Signature> no_hooks() {
  return std::make_shared<HookList<Signature>>();
}

struct Optimizer::Hooks {
  using Plain = void(Optimizer&);
  using Mapping = Value(Optimizer&, const Value&);
  Hooked<Plain> before_step = no_hooks<Plain>(), after_step = no_hooks<Plain>(),
                before_state_dict = no_hooks<Plain>(), after_load = no_hooks<Plain>();
  Hooked<Mapping> after_state_dict = no_hooks<Mapping>(), before_load = no_hooks<Mapping>();
};

inline void run_hooks(const Hooked<void(Optimizer&)>& hooks, Optimizer& optimizer) {
  for (const auto& [id, hook] : hooks->snapshot()) hook(optimizer);
}
/// Runs the hooks in order. Each hook receives `value` and replaces it unless it returns None.
inline void run_hooks(const Hooked<Value(Optimizer&, const Value&)>& hooks, Optimizer& optimizer,
                      Value& value) {
  for (const auto& [id, hook] : hooks->snapshot())
    if (Value replaced = hook(optimizer, value); !replaced.is_none()) value = std::move(replaced);
}

}  // namespace taper::optim
