// Modules as Values: what dictionaries of modules hold, and plain attributes that are modules.
#pragma once
#include <memory>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace nn {
class Module;

/// The module, kept alive by the value. None for null.
Value value_of(std::shared_ptr<Module> module);
/// The module as long as it lives: the value follows its moves.
Value value_of(Module& module);
/// The module that a value holds. Null if it is gone, or `value` holds none.
Module* module_of(const Value& value);
/// The same for sharing it. Null for a value that does not keep it alive.
std::shared_ptr<Module> shared_module_of(const Value& value);

}  // namespace nn
}  // namespace taper
