// Ref: intrusive reference counting pointer.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Base of reference-counted objects. A new object has one reference. RefCounted must be the first
/// base class because Ref casts pointers to incomplete types to it.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;
  std::uint32_t use_count() const noexcept { return refs_.load(std::memory_order_acquire); }

 private:
  /// Destroys the object; called when the last reference is released.
  virtual void finish() noexcept { delete this; }
  template <class T> friend class Ref;
  std::atomic<std::uint32_t> refs_{1};
};

/// Owning pointer to a RefCounted object of type T, which may be incomplete.
template <class T> class Ref {
 public:
  Ref() noexcept = default;
  Ref(std::nullptr_t) noexcept {}
  /// Returns a Ref that takes over the initial reference of a new object.
  static Ref adopt(T* object) noexcept {
    Ref r;
    r.p_ = object;
    return r;
  }
  /// Returns a Ref that adds a reference to an object.
  static Ref share(T* object) noexcept {
    if (object) count(object).fetch_add(1, std::memory_order_relaxed);
    return adopt(object);
  }
  Ref(const Ref& o) noexcept : p_(o.p_) {
    if (p_) count(p_).fetch_add(1, std::memory_order_relaxed);
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(const Ref& o) noexcept {
    Ref(o).swap(*this);
    return *this;
  }
  Ref& operator=(Ref&& o) noexcept {
    Ref(std::move(o)).swap(*this);
    return *this;
  }
  ~Ref() {
    // A single owner needs no atomic read-modify-write: another thread cannot add a reference.
    if (p_ && (count(p_).load(std::memory_order_acquire) == 1 ||
               count(p_).fetch_sub(1, std::memory_order_acq_rel) == 1))
      base(p_)->finish();
  }
  void swap(Ref& o) noexcept { std::swap(p_, o.p_); }
  void reset() noexcept { Ref().swap(*this); }
  /// Releases ownership without decrementing the count; pass the result to `adopt`.
  T* release() noexcept { return std::exchange(p_, nullptr); }
  T* get() const noexcept { return p_; }
  T* operator->() const noexcept { return p_; }
  T& operator*() const noexcept { return *p_; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.p_ == b.p_; }

 private:
  static RefCounted* base(T* p) noexcept { return reinterpret_cast<RefCounted*>(p); }
  static std::atomic<std::uint32_t>& count(T* p) noexcept { return base(p)->refs_; }
  T* p_ = nullptr;
};

}  // namespace taper
