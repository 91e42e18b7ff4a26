#include "core/observer.h"

#include <mutex>
#include <utility>

namespace taper {
namespace {

struct Provider {
  std::mutex mutex;
  std::shared_ptr<ThreadObservers> observers;
};
Provider& thread_observer_provider() {
  static Provider* const provider = new Provider;  // never destroyed: threads may outlive it
  return *provider;
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

void set_thread_observers(std::shared_ptr<ThreadObservers> observers) {
  Provider& provider = thread_observer_provider();
  const std::lock_guard lock(provider.mutex);
  ObservedThread::is_enabled.store(observers != nullptr, std::memory_order_relaxed);
  std::swap(provider.observers, observers);
}

void ObservedThread::attach(const std::string& thread) {
  std::shared_ptr<ThreadObservers> observers;
  {
    Provider& provider = thread_observer_provider();
    const std::lock_guard lock(provider.mutex);
    observers = provider.observers;
  }
  if (!observers) return;
  observer_ = observers->observer_of(thread);
  if (observer_) add_observer(*observer_);
}

}  // namespace taper
