// Observer: callbacks for the ops and scopes that a thread executes, for profilers and traces.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/thread_local_state.h"
#include "taper/core/tensor.h"

namespace taper {

struct OpDescriptor;
struct OpInput;

enum class ScopeKind : std::uint8_t { module, backward, user };

/// Description of an observed scope.
struct ScopeInfo {
  ScopeKind kind = ScopeKind::user;
  std::string name{};             ///< class of the module, name of the node, or text of the user
  const void* module = nullptr;   ///< the nn::Module that is called
  std::uint64_t sequence_nr = 0;  ///< number of the node that computes gradients
};

/// Work of another thread that the current one has waited for.
struct Interval {
  std::string thread{};
  std::string name{};
  std::chrono::steady_clock::time_point start{}, end{};
};

/// Receives each op, and the scopes around ops, of the threads where it is active. Observers form a
/// stack; each passes on what it receives.
struct Observer {
  virtual ~Observer() = default;
  virtual void before(const OpDescriptor& op, std::span<const OpInput> ins) {
    if (outer) outer->before(op, ins);
  }
  /// The op with these inputs has succeeded. Not called if it throws.
  virtual void after(const OpDescriptor& op, const void* attributes, std::span<const OpInput> ins,
                     std::span<const Tensor> outs) {
    if (outer) outer->after(op, attributes, ins, outs);
  }
  /// A scope begins or ends. `scope` identifies it.
  virtual void enter(const void* scope, const ScopeInfo& info) {
    if (outer) outer->enter(scope, info);
  }
  virtual void leave(const void* scope) noexcept {
    if (outer) outer->leave(scope);
  }
  /// A node was recorded for backward.
  virtual void node_created(std::uint64_t sequence_nr) {
    if (outer) outer->node_created(sequence_nr);
  }
  virtual void completed(const Interval& interval) {
    if (outer) outer->completed(interval);
  }

  Observer* outer = nullptr;
};
/// Adds an observer to the current thread.
void add_observer(Observer& observer);
/// Removes an observer of the current thread, which need not be the innermost one. Returns false if
/// it is not active on this thread.
bool remove_observer(Observer& observer) noexcept;

/// Returns true if the current thread has an observer.
inline bool is_observed() { return tls.observer != nullptr; }

/// Reports work of another thread to the observers of the current thread. `describe`, which returns
/// the Interval, is called only if there are any.
template <class Describe> void observe_interval(const Describe& describe) {
  if (tls.observer) [[unlikely]]
    tls.observer->completed(describe());
}

/// Reports a scope to the observers of the current thread. `describe`, which returns the ScopeInfo,
/// is called only if there are any.
class ObservedScope {
 public:
  template <class Describe> explicit ObservedScope(const Describe& describe) {
    if (tls.observer) [[unlikely]]
      enter(describe());
  }
  ~ObservedScope() {
    if (entered_) [[unlikely]]
      leave();
  }
  ObservedScope(const ObservedScope&) = delete;
  ObservedScope& operator=(const ObservedScope&) = delete;

 private:
  [[gnu::cold]] void enter(const ScopeInfo& info);
  [[gnu::cold]] void leave() noexcept;

  bool entered_ = false;
};

/// Provides the observers of threads that the library starts.
struct ThreadObservers {
  virtual ~ThreadObservers() = default;
  /// Returns the observer of the current thread, whose name in results is `thread`.
  virtual std::shared_ptr<Observer> observer_of(const std::string& thread) = 0;
};
/// Adds a provider: threads that the library starts are observed by those of all providers.
void add_thread_observers(std::shared_ptr<ThreadObservers> provider);
/// Removes a provider. Threads that it observes remain observed.
void remove_thread_observers(const ThreadObservers& provider);

/// Observes the current thread, which the library started, for the duration of a scope, if there
/// are ThreadObservers. `name`, which returns the name of the thread, is called only then.
class ObservedThread {
 public:
  template <class Name> explicit ObservedThread(const Name& name) {
    if (is_enabled.load(std::memory_order_relaxed)) [[unlikely]]
      attach(name());
  }
  ~ObservedThread() {
    for (const std::shared_ptr<Observer>& observer : observers_) remove_observer(*observer);
  }
  ObservedThread(const ObservedThread&) = delete;
  ObservedThread& operator=(const ObservedThread&) = delete;

 private:
  friend void add_thread_observers(std::shared_ptr<ThreadObservers> provider);
  friend void remove_thread_observers(const ThreadObservers& provider);
  [[gnu::cold]] void attach(const std::string& thread);

  static std::atomic<bool> is_enabled;
  std::vector<std::shared_ptr<Observer>> observers_{};
};

}  // namespace taper
