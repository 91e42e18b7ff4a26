#include "taper/core/generator.h"

#include <random>
#include <utility>

#include "core/never_destroyed.h"
#include "core/random/generator_state.h"
#include "taper/core/detail/thread_generator.h"

namespace taper {
namespace {

/// Returns a seed of 53 bits, which a double represents exactly.
std::uint64_t nondeterministic_seed() {
  std::random_device device;
  const std::uint64_t high = device();
  return (high << 32 | device()) & 0x1fffffffffffffu;
}

// Default generator of the calling thread; null: that of the process.
thread_local const Generator* thread_generator = nullptr;

}  // namespace

using random::GeneratorLock;

random::ThreadGenerator::ThreadGenerator(const Generator& generator) noexcept
    : previous_(std::exchange(thread_generator, &generator)) {}
random::ThreadGenerator::~ThreadGenerator() { thread_generator = previous_; }

Generator::Generator() : state_(std::make_shared<random::GeneratorState>()) {}

Generator::Generator(std::uint64_t seed) : Generator() { state_->engine.seed(seed); }

Generator& Generator::manual_seed(std::uint64_t seed) {
  GeneratorLock(*this).engine.seed(seed);
  return *this;
}

std::uint64_t Generator::initial_seed() const { return GeneratorLock(*this).engine.initial_seed(); }

std::uint64_t Generator::seed() {
  const std::uint64_t value = nondeterministic_seed();
  manual_seed(value);
  return value;
}

std::vector<std::uint8_t> Generator::get_state() const {
  return GeneratorLock(*this).engine.state();
}

void Generator::set_state(std::span<const std::uint8_t> state) {
  GeneratorLock(*this).engine.set_state(state);
}

Generator Generator::clone_state() const {
  Generator copy;
  copy.state_->engine = GeneratorLock(*this).engine;
  return copy;
}

const Generator& default_generator() {
  if (thread_generator) return *thread_generator;
  static const NeverDestroyed<Generator> generator(nondeterministic_seed());
  return *generator;
}

Generator manual_seed(std::uint64_t seed) {
  Generator generator = default_generator();
  return generator.manual_seed(seed);
}

std::uint64_t seed() { return Generator(default_generator()).seed(); }
std::uint64_t initial_seed() { return default_generator().initial_seed(); }
std::vector<std::uint8_t> get_rng_state() { return default_generator().get_state(); }
void set_rng_state(std::span<const std::uint8_t> state) {
  Generator(default_generator()).set_state(state);
}

ForkRng::ForkRng() : state_(get_rng_state()) {}
ForkRng::~ForkRng() { set_rng_state(state_); }

}  // namespace taper
