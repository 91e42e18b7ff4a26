// Settings of a run.
#pragma once
#include <cstdint>

#include "taper/core/value.h"

namespace training {

/// Hyperparameters, stored in the checkpoint of a run.
struct Settings {
  double lr = 0.05, momentum = 0.9, weight_decay = 5e-4;
  std::int64_t epochs = 20, batch = 64, seed = 0;

  taper::Value to_value() const;
  /// Throws taper::Error if the value is not a dict of settings.
  static Settings from_value(const taper::Value& value);
};

}  // namespace training
