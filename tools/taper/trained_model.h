// What the checkpoint of a run says about the network and its data.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "models.h"
#include "source.h"

namespace taper::cli {

/// Model and data of a run of taper train; empty for other files.
struct TrainedModel {
  /// Reads the description in a checkpoint. Throws ValueError, which names the file, if an entry
  /// has another type.
  static TrainedModel of(const Source& source);

  std::string model{}, input{};
  std::vector<std::string> arguments{}, classes{};
  std::optional<int> pixel_max{};  ///< pixels were divided by it

  /// Completes the options of the command line by those of the run. Throws UsageError, which names
  /// both, if they differ, or if neither has a model. The input is only that of images.
  void complete(ModelOptions& options, std::string& input_shape, const std::string& file,
                bool has_images) const;
};

/// Returns the option --plugin of the run to which the weights belong. Empty if it had none.
std::string plugin_of_run(const std::string& weights);

/// Returns the path of the checkpoint if the path is the output directory of taper train, otherwise
/// the path.
std::string weights_path(const std::string& path);

}  // namespace taper::cli
