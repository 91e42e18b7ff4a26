// Networks by name: those of the library, LeNet, and what a user's shared library registers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "taper/nn/module_base.h"

namespace taper::cli {

/// What a command was told of its model.
struct ModelOptions {
  std::string model;              ///< "lenet", "Linear(10, 3)", "Sequential(Linear(4, 8), ReLU())"
  std::vector<std::string> args;  ///< "in_features=10"
  std::vector<std::string> plugins;  ///< shared libraries with TAPER_REGISTER
};

/// Loads the plugins and makes the model. Names are matched without regard to case where that is
/// unambiguous; arguments are literals of Python. Throws UsageError for what cannot be read or is
/// not known, and what the constructor throws.
std::shared_ptr<taper::nn::Module> make_model(const ModelOptions& options);

/// "1x28x28" or "1,28,28". Throws UsageError.
taper::Shape parse_shape(const std::string& text);

}  // namespace taper::cli
