// Comparison of the description of a file with the description of the value that was read.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "cases/case_file.h"

namespace taper::oracle {

struct Rules {
  bool strict_stride = false;           ///< compare strides and offsets of tensors
  bool only_tensors = false;            ///< compare names and elements only, in any order
  bool may_stay_opaque = false;         ///< parts that Taper need not support may be opaque
  std::set<std::string> opaque_keys{};  ///< keys of the outermost dict whose values may be opaque
};

/// Returns a description of each difference, which begins with the path of the value. Stops after
/// about 20 differences. The labels of storages may differ, but the same tensors must share a
/// storage.
std::vector<std::string> differences(const Json& expected, const Json& actual, const Rules& rules);

/// Returns true if a description is that of a part that readers need not support.
bool is_unsupported(const Json& described);

}  // namespace taper::oracle
