// Models by name: classes of the library, networks of models/, and classes registered by plugins.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/value.h"
#include "taper/nn/module_base.h"

namespace taper::cli {

/// Values of the command-line options that select the model.
struct ModelOptions {
  std::string model{};  ///< "resnet18", "Linear(10, 3)", "Sequential(Linear(4, 8), ReLU())"
  std::vector<std::string> args{};     ///< constructor arguments: "in_features=10"
  std::vector<std::string> plugins{};  ///< paths of shared libraries that use TAPER_REGISTER
};

/// Loads the plugins and creates the model. Class names are case-insensitive unless that is
/// ambiguous; arguments are Python literals. `num_classes` is the value of the constructor argument
/// of this name, if the model has one that is not given. Throws UsageError for a syntax error or an
/// unknown class, and any error of the constructor.
std::shared_ptr<taper::nn::Module> make_model(const ModelOptions& options,
                                              std::optional<std::int64_t> num_classes = {});

/// Returns the number of classes for which the weights in `state` were made, if they differ from
/// those of `module` in the number of rows only, as a classifier for another number of classes.
std::optional<std::int64_t> classes_of_weights(const taper::nn::Module& module,
                                               const taper::Value& state);

/// Returns the shape of the input that a network of models/ is usually given; empty for other
/// models.
std::optional<taper::Shape> usual_input_of(const ModelOptions& options);

/// Returns `given`, or, if it is empty, the usual input of the network without the batch dimension:
/// "3x224x224"; "1x28x28" for other models.
std::string image_input(const ModelOptions& options, const std::string& given);

/// Parses a shape such as "1x28x28" or "1,28,28". Throws UsageError.
taper::Shape parse_shape(const std::string& text);

}  // namespace taper::cli
