// Command-line options that select the model.
#pragma once
#include <CLI/CLI.hpp>

#include "models.h"

namespace taper::cli {

/// Adds the options. Returns that of the model.
inline CLI::Option* add_model_options(CLI::App& sub, ModelOptions& o) {
  CLI::Option* const model = sub.add_option(
      "model", o.model,
      "a network such as lenet or resnet18, a class of Taper or of a plugin, an expression such as "
      "\"resnet18(num_classes=10)\" or "
      "\"Sequential(Linear(4, 8), ReLU())\", or a file with a whole module");
  model->required();
  sub.add_option("--arg", o.args, "constructor argument, such as in_features=10; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub.add_option("--plugin", o.plugins,
                 "shared library that registers models with TAPER_REGISTER; repeatable")
      ->type_name("LIB.so")
      ->allow_extra_args(false);
  return model;
}

}  // namespace taper::cli
