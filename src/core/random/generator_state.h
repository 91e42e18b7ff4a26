// GeneratorState: the shared state of Generator handles and its lock.
#pragma once
#include <mutex>
#include <optional>

#include "core/random/engine.h"
#include "taper/core/generator.h"

namespace taper::random {

struct GeneratorState {
  std::mutex mutex;
  Engine engine;
};

/// Locks a generator for one fill: `GeneratorLock from(generator); fill_normal(from.engine, ...)`.
class GeneratorLock {
 public:
  explicit GeneratorLock(const Generator& generator)
      : lock_(generator.state().mutex), engine(generator.state().engine) {}
  explicit GeneratorLock(const std::optional<Generator>& generator)
      : GeneratorLock(generator ? *generator : default_generator()) {}

 private:
  std::lock_guard<std::mutex> lock_;

 public:
  Engine& engine;
};

}  // namespace taper::random
