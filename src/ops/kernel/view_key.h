// KeyMaker: hash keys of the cache entries of a storage.
#pragma once
#include <cstdint>

namespace taper::kernel {

class KeyMaker {
 public:
  explicit KeyMaker(std::uint64_t kind) { mix(static_cast<std::int64_t>(kind)); }
  void mix(std::int64_t n) {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(n)) * 1099511628211u;
    hash_ ^= hash_ >> 29;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037u;
};

}  // namespace taper::kernel
