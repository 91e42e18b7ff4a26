// Calls an op by name, with arguments named as in PyTorch.
#pragma once
#include <string_view>
#include <vector>

#include "taper/core/value.h"

namespace taper {

/// Runs op `name` and returns all its outputs: call("add", {{"input", x}, {"other", y}, {"alpha",
/// 2}}). `name` is a name of op_list.inc; a trailing `_` selects the in-place form. An input is a
/// tensor, a number if the op accepts numbers as operands, or a list of tensors for the input
/// `tensors` of ops such as cat. Omitted attributes have their default values.
///
/// Throws KeyError for an unknown op, TypeError for a missing or unknown argument or one of the
/// wrong kind, and the errors of the op itself.
std::vector<Tensor> call(std::string_view name, const Dict& arguments);

}  // namespace taper
