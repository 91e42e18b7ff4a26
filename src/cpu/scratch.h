// Scratch: temporary memory of kernels, cached per thread, 64-byte aligned.
#pragma once
#include <cstddef>

namespace taper::cpu {

/// A block of at least `bytes` bytes with the lifetime of the object, owned by the calling thread.
/// Blocks are allocated and released in stack order; contents are uninitialized. Throws
/// OutOfMemoryError if the allocation fails.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <class T> T* as() const noexcept { return static_cast<T*>(data_); }

 private:
  void* data_;
};

}  // namespace taper::cpu
