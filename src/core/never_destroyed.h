// NeverDestroyed: an object of static storage duration that is usable until the process ends.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace taper {

/// Object of static storage duration whose destructor does not run. Destructors of other static
/// objects, exit handlers and threads that outlive main may therefore use it. Contains the object,
/// so that leak checkers find the memory that it owns.
template <class T> class NeverDestroyed {
 public:
  template <class... A> explicit NeverDestroyed(A&&... arguments) {
    ::new (static_cast<void*>(memory_)) T(std::forward<A>(arguments)...);
  }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(memory_)); }
  const T& operator*() const noexcept { return *std::launder(reinterpret_cast<const T*>(memory_)); }
  T* operator->() noexcept { return std::addressof(**this); }
  const T* operator->() const noexcept { return std::addressof(**this); }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
};

}  // namespace taper
