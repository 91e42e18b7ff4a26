// Short-lived working memory of kernels: per thread, kept between calls, 64-byte aligned.
#pragma once
#include <cstddef>

namespace taper::backend {

/// A block of at least `bytes` bytes that belongs to the calling thread until the object dies.
/// Blocks are taken and returned like a stack; contents are undefined. Throws OutOfMemoryError.
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

}  // namespace taper::backend
