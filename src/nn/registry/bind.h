// bind: assignment of arguments to the parameters of a signature.
#pragma once
#include "nn/registry/schema.h"

namespace taper::nn {

/// Binds the arguments of a call to the signature as Python does. Throws TypeError for missing,
/// unknown, duplicate or too many arguments.
Arguments bind(const ModuleSchema& schema, const Values& args, const Value& kwargs);

}  // namespace taper::nn
