// Engine: the mt19937 generator, with a cached normal for the next call.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::random {

inline constexpr std::uint64_t kDefaultSeed = 67280421310721;

class Engine {
 public:
  static constexpr std::size_t kStateBytes = 5056;

  explicit Engine(std::uint64_t seed = kDefaultSeed) { this->seed(seed); }

  void seed(std::uint64_t value);
  std::uint64_t initial_seed() const { return seed_; }

  std::uint32_t next32() {
    if (used_ == kWords) twist();
    return temper(words_[used_++]);
  }
  std::uint64_t next64() {
    const std::uint64_t high = next32();
    return high << 32 | next32();
  }

  /// Fills `out` with the same words as out.size() calls of next32.
  void fill(std::span<std::uint32_t> out);

  /// Return a uniform number in [0, 1): a multiple of 2^-24 or of 2^-53.
  float uniform24() { return to_uniform24(next32()); }
  double uniform53() { return to_uniform53(next64()); }
  static float to_uniform24(std::uint32_t word) {
    return static_cast<float>(word & 0xffffffu) * 0x1p-24f;
  }
  static double to_uniform53(std::uint64_t word) {
    return static_cast<double>(word & 0x1fffffffffffffu) * 0x1p-53;
  }

  /// Returns a standard normal. Normals are generated in pairs; the second one is cached for the
  /// next call.
  double normal();

  /// Returns or sets the state in PyTorch's format, see Generator::get_state. `set_state` throws
  /// ValueError and leaves the engine unchanged if the bytes are not such a state.
  std::vector<std::uint8_t> state() const;
  void set_state(std::span<const std::uint8_t> bytes);

 private:
  static constexpr std::size_t kWords = 624;

  void twist();
  static std::uint32_t temper(std::uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
  }

  std::uint64_t seed_ = 0;
  std::array<std::uint32_t, kWords> words_{};
  std::size_t used_ = kWords;  // number of words of the current block that were returned
  bool fresh_ = true;  // true if no block was generated since seeding; part of the state's bytes
  bool has_normal_ = false;
  double normal_ = 0;
};

}  // namespace taper::random
