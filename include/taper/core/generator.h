// Generator: random number generator that reproduces PyTorch's CPU generator.
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

/// Random number generator (mt19937). Copies share the state. Random functions accept a generator
/// and use default_generator() by default. Each call locks the generator, so it can be shared
/// between threads; for reproducible results, use one generator per thread.
/// PyTorch: torch.Generator.
class Generator {
 public:
  /// Creates a generator with seed 67280421310721.
  Generator();
  /// Creates a generator with the given seed, as torch.Generator().manual_seed(seed).
  explicit Generator(std::uint64_t seed);
  // Copies share the state and a generator is never empty, hence it has no move operations.
  Generator(const Generator&) = default;
  Generator& operator=(const Generator&) = default;

  /// Resets the generator with a seed and returns it. Negative seeds are interpreted modulo 2^64,
  /// as in PyTorch. PyTorch: torch.Generator.manual_seed.
  Generator& manual_seed(std::uint64_t seed);
  /// Returns the seed that the generator was last reset with.
  /// PyTorch: torch.Generator.initial_seed.
  std::uint64_t initial_seed() const;
  /// Resets the generator with a seed from the entropy of the system and returns the seed.
  /// PyTorch: torch.Generator.seed.
  std::uint64_t seed();

  /// Returns, or sets, the state: the 5056 bytes of torch.Generator.get_state(). Throws ValueError,
  /// and leaves the generator unchanged, if the bytes are not a valid state.
  /// PyTorch: torch.Generator.get_state, torch.Generator.set_state.
  [[nodiscard]] std::vector<std::uint8_t> get_state() const;
  void set_state(std::span<const std::uint8_t> state);

  /// Returns a new generator with a copy of the state. PyTorch: torch.Generator.clone_state.
  [[nodiscard]] Generator clone_state() const;

  /// Returns true if both refer to the same generator.
  bool operator==(const Generator&) const = default;

  /// Internal access to the state.
  random::GeneratorState& state() const { return *state_; }

 private:
  std::shared_ptr<random::GeneratorState> state_;
};

/// Returns the generator that random functions use by default. It is seeded from the entropy of the
/// system; call manual_seed for reproducible results. PyTorch: torch.default_generator.
const Generator& default_generator();

/// Sets the seed of the default generator and returns the generator. PyTorch: torch.manual_seed.
Generator manual_seed(std::uint64_t seed);
/// Seeds the default generator from the entropy of the system and returns the seed.
/// PyTorch: torch.seed.
std::uint64_t seed();
/// Returns the seed of the default generator. PyTorch: torch.initial_seed.
std::uint64_t initial_seed();
/// Returns, or sets, the state of the default generator. Throws ValueError, and leaves the
/// generator unchanged, if the bytes are not a valid state. PyTorch: torch.get_rng_state,
/// torch.set_rng_state.
[[nodiscard]] std::vector<std::uint8_t> get_rng_state();
void set_rng_state(std::span<const std::uint8_t> state);

/// Restores the state of the default generator at the end of the scope.
/// PyTorch: torch.random.fork_rng.
class ForkRng {
 public:
  [[nodiscard]] ForkRng();
  ~ForkRng();
  ForkRng(const ForkRng&) = delete;
  ForkRng& operator=(const ForkRng&) = delete;

 private:
  std::vector<std::uint8_t> state_;
};

}  // namespace taper
