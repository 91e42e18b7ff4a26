// Op schemas: strings that match a backend's kernels with the library's ops.
#pragma once
#include <string>

#include "ops/op.h"

namespace taper::backend {

std::string op_schema(const OpDescriptor& descriptor);

}  // namespace taper::backend
