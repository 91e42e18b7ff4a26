// The classes that are known by name.
#pragma once
#include <vector>

#include "nn/make/row.h"

namespace taper::nn {

/// The row of a class by its name or its path in Python. Throws AttributeError for an unknown one,
/// ValueError where two classes were registered.
const ClassRow& row_named(std::string_view name);
/// The row of a class; null if it has none.
const ClassRow* row_of_type(const std::type_info& type);
/// The row of an object's class, as it calls itself if that is a class of its own too. Null if it
/// has none.
const ClassRow* row_for(const Module& module);

}  // namespace taper::nn
