// Class registry: schemas of modules by class name.
#pragma once
#include <vector>

#include "nn/registry/schema.h"

namespace taper::nn {

/// Returns the schema of a class by its name or Python path. Throws AttributeError for an unknown
/// name, ValueError if two registered classes match.
const ModuleSchema& find_schema(std::string_view name);
/// Returns the schema of a class, or null if it has none.
const ModuleSchema* find_schema(const std::type_info& type);
/// Returns the schema of an object's class. If type_name() is the name of another layer, as for
/// initialized lazy layers, returns the schema of that layer. Null if the class has no schema.
const ModuleSchema* schema_for(const Module& module);

}  // namespace taper::nn
