// --mean and --std: normalization of the channels of images.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "taper/core/value.h"
#include "taper/nn/module_base.h"

namespace taper::cli {

/// Mean and standard deviation of each channel, for pixels from 0 to 1; empty: images are
/// unchanged. PyTorch: torchvision.transforms.v2.Normalize.
struct ImageNormalization {
  std::vector<double> mean{}, std{};

  bool is_given() const { return !mean.empty() || !std.empty(); }
  /// Throws UsageError unless each channel has a mean and a positive standard deviation, or there
  /// is one of each for all channels, or none.
  void check(int channels) const;
  /// Registers a forward pre-hook that normalizes the images `(N, C, H, W)` of each call, unless
  /// there is no normalization. Images are therefore augmented and shown with values from 0 to 1.
  void attach(nn::Module& module) const;

  Value to_value() const;
  /// Returns the normalization that `taper train` stored in a checkpoint, or none. Throws
  /// ValueError, which names the file, if it is invalid.
  static ImageNormalization of_checkpoint(const Value& checkpoint, const std::string& file);
};

/// Adds the options --mean and --std. `default_text` describes the default.
void add_normalization_options(CLI::App& command, ImageNormalization& normalization,
                               const std::string& default_text);

}  // namespace taper::cli
