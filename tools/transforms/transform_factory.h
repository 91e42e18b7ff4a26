// Transforms by name.
#pragma once
#include <string>
#include <vector>

#include "taper/core/value.h"
#include "taper/data/transforms/transform.h"

namespace taper::tools {

/// Returns the names of the classes that `make_transform` accepts: all of data::transforms but
/// containers and mixtures of batches.
std::vector<std::string> transform_names();

/// Creates a transform with the positional arguments and the dict of keyword arguments of the class
/// in Python, such as ("RandomCrop", [28], {"padding": 4}). Throws AttributeError for an unknown
/// class, TypeError for arguments that it does not have or of another type, and the errors of its
/// constructor.
data::transforms::AnyTransform make_transform(const std::string& name, const Values& args,
                                              const Value& kwargs);

}  // namespace taper::tools
