// SignatureHash: hash of what must be equal on all ranks, so that calls that differ do not meet.
#pragma once
#include <cstdint>

namespace taper::dist_engines {

class SignatureHash {
 public:
  /// Adds a number. Chains: SignatureHash().add(1).add(2).
  SignatureHash& add(std::int64_t value) {
    // The finalizer of splitmix64 (Steele et al., 2014).
    std::uint64_t x = (hash_ ^ static_cast<std::uint64_t>(value)) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    hash_ = x ^ (x >> 31);
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace taper::dist_engines
