// Models by name: classes of the library, LeNet, and classes registered by plugins.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "taper/nn/module_base.h"

namespace taper::cli {

/// Values of the command-line options that select the model.
struct ModelOptions {
  std::string model;              ///< "lenet", "Linear(10, 3)", "Sequential(Linear(4, 8), ReLU())"
  std::vector<std::string> args;  ///< constructor arguments: "in_features=10"
  std::vector<std::string> plugins;  ///< paths of shared libraries that use TAPER_REGISTER
};

/// Loads the plugins and creates the model. Class names are case-insensitive unless that is
/// ambiguous; arguments are Python literals. Throws UsageError for a syntax error or an unknown
/// class, and any error of the constructor.
std::shared_ptr<taper::nn::Module> make_model(const ModelOptions& options);

/// Parses a shape such as "1x28x28" or "1,28,28". Throws UsageError.
taper::Shape parse_shape(const std::string& text);

}  // namespace taper::cli
