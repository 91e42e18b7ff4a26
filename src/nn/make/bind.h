// Giving arguments their names.
#pragma once
#include "nn/make/row.h"

namespace taper::nn {

/// The arguments of a call as Python would bind them to the signature. Throws TypeError for those
/// that are missing, unknown, too many or given twice.
Arguments bind(const ClassRow& row, const Values& args, const Value& kwargs);

}  // namespace taper::nn
