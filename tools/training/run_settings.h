// Settings of a run.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/value.h"

namespace training {

/// Hyperparameters, stored in the checkpoint of a run.
struct Settings {
  /// Options of the optimizer. Absent ones have its defaults; those of SGD are 0.05, 0.9 and 5e-4.
  std::optional<double> lr{}, momentum{}, weight_decay{};
  std::int64_t epochs = 20, batch = 64, seed = 0;
  std::string optimizer = "SGD";  ///< class name, as for taper::optim::make
  std::string schedule{};         ///< class name of the learning rate scheduler, or empty
  /// Dtype that autocast computes in: "bfloat16" or "float16", with a gradient scaler; "float32":
  /// no autocast.
  std::string precision = "float32";
  std::vector<std::string> augmentations{};  ///< of training images, in the syntax of the program

  taper::Value to_value() const;
  /// Throws taper::Error if the value is not a dict of settings.
  static Settings from_value(const taper::Value& value);
};

}  // namespace training
