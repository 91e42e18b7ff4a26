// Conversion between modules and Values.
#pragma once
#include <memory>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace nn {
class Module;

/// Returns a Value that shares ownership of the module; None for null.
Value value_of(std::shared_ptr<Module> module);
/// Returns a Value with a weak reference to the module, which remains valid when the module is
/// moved.
Value value_of(Module& module);
/// Returns the module of a value; null if it was destroyed or if `value` does not hold a module.
Module* module_of(const Value& value);
/// Returns the module of a value as a shared pointer; null if the value does not own a module.
std::shared_ptr<Module> shared_module_of(const Value& value);

}  // namespace nn
}  // namespace taper
