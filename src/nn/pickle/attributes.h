// The attributes that Python's objects have beside what every module has.
#pragma once
#include "nn/make/row.h"

namespace taper::nn {

struct PythonAttributes {
  /// Set before and after those of every module.
  std::vector<Dict::Entry> before{}, after{};
};

/// In the order in which the constructor of PyTorch 2.15 sets them: the arguments that the class
/// keeps, and what it works out from them. Of a class of a user its options.
PythonAttributes python_attributes(const Module& module, const ClassRow& row);

/// Their names after those of every module, and perhaps more: "in_features, out_features, ...".
std::string_view attribute_names(const ClassRow& row);

/// What files of older versions of PyTorch lack, put into the attributes of an object as its class
/// does when it is unpickled. Throws ValueError for numbers that cannot be.
void complete_attributes(const ClassRow& row, Dict& attributes);

}  // namespace taper::nn
