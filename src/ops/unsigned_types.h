// uint16, uint32 and uint64, with which few ops compute, as in PyTorch.
#pragma once
#include "core/dtype_table.h"
#include "ops/op.h"

namespace taper {

/// Returns true if `dtype` is uint16, uint32 or uint64 and `op` computes in it.
bool supports_unsigned(const OpInfo& op, DType dtype);

}  // namespace taper
