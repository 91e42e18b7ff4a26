#include "core/observer.h"

#include <mutex>
#include <utility>

#include "core/never_destroyed.h"

namespace taper {
namespace {

struct Providers {
  std::mutex mutex;
  std::vector<std::shared_ptr<ThreadObservers>> all;
};
Providers& thread_observer_providers() {
  static NeverDestroyed<Providers> providers;
  return *providers;
}

}  // namespace

void add_observer(Observer& observer) {
  observer.outer = tls.observer;
  tls.observer = &observer;
}

bool remove_observer(Observer& observer) noexcept {
  for (Observer** at = &tls.observer; *at; at = &(*at)->outer)
    if (*at == &observer) {
      *at = observer.outer;
      observer.outer = nullptr;
      return true;
    }
  return false;
}

void ObservedScope::enter(const ScopeInfo& info) {
  tls.observer->enter(this, info);
  entered_ = true;
}
void ObservedScope::leave() noexcept {
  if (tls.observer) tls.observer->leave(this);  // absent if it was removed within the scope
}

std::atomic<bool> ObservedThread::is_enabled{false};

void add_thread_observers(std::shared_ptr<ThreadObservers> provider) {
  Providers& providers = thread_observer_providers();
  const std::lock_guard lock(providers.mutex);
  providers.all.push_back(std::move(provider));
  ObservedThread::is_enabled.store(true, std::memory_order_relaxed);
}

void remove_thread_observers(const ThreadObservers& provider) {
  Providers& providers = thread_observer_providers();
  const std::lock_guard lock(providers.mutex);
  std::erase_if(providers.all, [&](const auto& p) { return p.get() == &provider; });
  ObservedThread::is_enabled.store(!providers.all.empty(), std::memory_order_relaxed);
}

void ObservedThread::attach(const std::string& thread) {
  std::vector<std::shared_ptr<ThreadObservers>> all;
  {
    Providers& providers = thread_observer_providers();
    const std::lock_guard lock(providers.mutex);
    all = providers.all;
  }
  for (const std::shared_ptr<ThreadObservers>& provider : all) {
    observers_.push_back(provider->observer_of(thread));
    add_observer(*observers_.back());
  }
}

}  // namespace taper
