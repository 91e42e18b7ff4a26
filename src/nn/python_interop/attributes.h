// Attributes of Python objects in addition to those of Module.
#pragma once
#include "nn/registry/schema.h"

namespace taper::nn {

struct PythonAttributes {
  /// Attributes that are set before and after those of Module.
  std::vector<Dict::Entry> before{}, after{};
};

/// Returns the attributes in the order in which the constructor of PyTorch 2.15 sets them: stored
/// arguments and values derived from them. The attributes of a user-defined class are its options.
PythonAttributes python_attributes(const Module& module, const ModuleSchema& schema);

/// Returns the names of the attributes that follow those of Module, and possibly others:
/// "in_features, out_features, ...".
std::string_view attribute_names(const ModuleSchema& schema);

/// Adds attributes that files of older PyTorch versions lack, as the class does when it is
/// unpickled. Throws ValueError for invalid numbers.
void complete_attributes(const ModuleSchema& schema, Dict& attributes);

}  // namespace taper::nn
