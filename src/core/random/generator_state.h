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

/// Locks a generator for one fill: `Drawing from(generator); fill_normal(from.engine, ...)`.
class Drawing {
 public:
  explicit Drawing(const Generator& generator)
      : lock_(generator.state().mutex), engine(generator.state().engine) {}
  explicit Drawing(const std::optional<Generator>& generator)
      : Drawing(generator ? *generator : default_generator()) {}

 private:
  std::lock_guard<std::mutex> lock_;

 public:
  Engine& engine;
};

}  // namespace taper::random
