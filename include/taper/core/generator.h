// Generators of random numbers: PyTorch's CPU stream, to the bit.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {

namespace random {
struct GeneratorState;
}

/// A source of random numbers (mt19937), shared by its copies like a tensor. Every random function
/// takes one, or uses default_generator(). Drawing locks it once per call, so threads may share a
/// generator; for reproducible results give each thread its own. PyTorch: torch.Generator.
class Generator {
 public:
  /// A new generator, seeded with 67280421310721.
  Generator();
  /// A new generator with that seed: Generator(3) is torch.Generator().manual_seed(3).
  explicit Generator(std::uint64_t seed);
  // Copies share the state, and a handle is never empty: there is no move.
  Generator(const Generator&) = default;
  Generator& operator=(const Generator&) = default;

  /// Starts the stream of `seed`. Negative seeds count modulo 2^64, as in PyTorch.
  Generator& manual_seed(std::uint64_t seed);
  /// The seed that the stream was started with.
  std::uint64_t initial_seed() const;
  /// Starts a stream with a seed from the system's entropy, and returns that seed.
  std::uint64_t seed();

  /// The state as the 5056 bytes that torch.Generator.get_state() gives, and back. Throws
  /// ValueError and stays as it was when the bytes are not such a state.
  [[nodiscard]] std::vector<std::uint8_t> get_state() const;
  void set_state(std::span<const std::uint8_t> state);

  /// A new generator that continues as this one would. PyTorch: Generator.clone_state.
  [[nodiscard]] Generator clone_state() const;

  /// Whether both are handles of one generator.
  bool operator==(const Generator&) const = default;

  /// Taper's own access to the state.
  random::GeneratorState& state() const { return *state_; }

 private:
  std::shared_ptr<random::GeneratorState> state_;
};

/// The generator that random functions use when none is given. It starts from the system's entropy;
/// call manual_seed for a reproducible run. PyTorch: torch.default_generator.
const Generator& default_generator();

/// Seeds the default generator and returns it. PyTorch: torch.manual_seed.
Generator manual_seed(std::uint64_t seed);
/// Seeds the default generator from the system's entropy. PyTorch: torch.seed.
std::uint64_t seed();
/// The seed of the default generator. PyTorch: torch.initial_seed.
std::uint64_t initial_seed();
/// The state of the default generator, and back. PyTorch: torch.get_rng_state, set_rng_state.
[[nodiscard]] std::vector<std::uint8_t> get_rng_state();
void set_rng_state(std::span<const std::uint8_t> state);

/// Puts the default generator back at the end of a scope, so that what is drawn inside does not
/// show outside. PyTorch: torch.random.fork_rng.
class ForkRng {
 public:
  [[nodiscard]] ForkRng() : state_(get_rng_state()) {}
  ~ForkRng() { set_rng_state(state_); }
  ForkRng(const ForkRng&) = delete;
  ForkRng& operator=(const ForkRng&) = delete;

 private:
  std::vector<std::uint8_t> state_;
};

}  // namespace taper
