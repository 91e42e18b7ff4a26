// The text by which a kernel of a backend and an op of the core recognise each other.
#pragma once
#include <string>

#include "ops/op.h"

namespace taper::backend {

std::string schema_of(const OpTable& table);

}  // namespace taper::backend
