// Comparison of the description of a file with the description of the value that was read.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "cases/case_file.h"

namespace taper::oracle {

struct Rules {
  bool strict_stride = false;           ///< compare strides and offsets of tensors
  bool only_tensors = false;            ///< safetensors: compare tensors in any order
  bool may_stay_opaque = false;         ///< parts that Taper need not support may be opaque
  std::set<std::string> opaque_keys{};  ///< keys of the outermost dict whose values may be opaque
};

/// Returns paths and descriptions of differences, limited to a few. Storages are compared by
/// sharing, not by label.
std::vector<std::string> differences(const Json& expected, const Json& actual, const Rules& rules);

/// Returns true if a description is that of a part that readers need not support.
bool is_unsupported(const Json& described);

}  // namespace taper::oracle
