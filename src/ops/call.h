// Calling an op by its name, with arguments named as PyTorch names them.
#pragma once
#include <string_view>
#include <vector>

#include "taper/core/value.h"

namespace taper {

/// call("add", {{"input", x}, {"other", y}, {"alpha", 2}}): all results. `name` is a name of
/// op_list.inc, or one followed by `_` for the in-place form. An input is a tensor, a number where
/// tensors and numbers mix, or a list for "tensors". Attributes that are not named keep their
/// defaults. Throws KeyError for an unknown op, TypeError for an argument that is missing, unknown
/// or of the wrong kind, and what the op throws.
std::vector<Tensor> call(std::string_view name, const Dict& arguments);

}  // namespace taper
