// Random numbers of samplers and loaders.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/factory.h"
#include "taper/core/generator.h"

namespace taper::data {

/// Returns the generator, or the default generator if there is none.
inline const Generator& generator_or_default(const std::optional<Generator>& generator) {
  return generator ? *generator : default_generator();
}

/// Draws the seed of an epoch.
inline std::uint64_t draw_seed(const Generator& generator) {
  return static_cast<std::uint64_t>(
      empty({}, {.dtype = DType::i64}).random_(generator).item<std::int64_t>());
}

}  // namespace taper::data
