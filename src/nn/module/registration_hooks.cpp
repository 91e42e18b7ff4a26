#include "taper/nn/registration_hooks.h"

#include <mutex>
#include <vector>

#include "core/never_destroyed.h"
#include "nn/module/registration.h"

namespace taper::nn {
namespace {

/// Hooks of one kind. A run uses the list as it was when the run started.
template <class F> class RegistrationHookList final : public HookOwner {
 public:
  std::uint64_t add(F hook) {
    const std::uint64_t id = next_hook_id();
    std::lock_guard lock(mutex_);
    auto updated = std::make_shared<List>(*list_);
    updated->emplace_back(id, std::move(hook));
    list_ = std::move(updated);
    return id;
  }
  void remove_hook(std::uint64_t id) override {
    std::lock_guard lock(mutex_);
    auto updated = std::make_shared<List>(*list_);
    std::erase_if(*updated, [&](const auto& entry) { return entry.first == id; });
    list_ = std::move(updated);
  }
  template <class Item> void run(Module& m, std::string_view name, Item& item) {
    std::unique_lock lock(mutex_);
    const std::shared_ptr<const List> list = list_;
    lock.unlock();
    for (const auto& [id, hook] : *list) hook(m, name, item);
  }

 private:
  using List = std::vector<std::pair<std::uint64_t, F>>;
  std::mutex mutex_;
  std::shared_ptr<const List> list_ = std::make_shared<List>();
};

template <class F> const std::shared_ptr<RegistrationHookList<F>>& registry() {
  static const NeverDestroyed<std::shared_ptr<RegistrationHookList<F>>> made(
      std::make_shared<RegistrationHookList<F>>());
  return *made;
}
template <class F> RemovableHandle add(F hook) {
  const std::uint64_t id = registry<F>()->add(std::move(hook));
  return {registry<F>(), id};
}

}  // namespace

RemovableHandle detail::add_parameter_hook(ParameterHook hook) { return add(std::move(hook)); }
RemovableHandle detail::add_buffer_hook(BufferHook hook) { return add(std::move(hook)); }
RemovableHandle detail::add_module_hook(ModuleHook hook) { return add(std::move(hook)); }

void run_registration_hooks(Module& m, std::string_view name, Parameter& parameter) {
  registry<detail::ParameterHook>()->run(m, name, parameter);
}
void run_registration_hooks(Module& m, std::string_view name, Tensor& buffer) {
  registry<detail::BufferHook>()->run(m, name, buffer);
}
void run_registration_hooks(Module& m, std::string_view name, std::shared_ptr<Module>& module) {
  registry<detail::ModuleHook>()->run(m, name, module);
}

}  // namespace taper::nn
