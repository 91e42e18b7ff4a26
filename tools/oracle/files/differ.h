// What differs between the description of a file and the description of what was read from it.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "cases/case_file.h"

namespace taper::oracle {

struct Rules {
  bool strict_stride = false;    ///< strides and offsets of tensors must be those of the file
  bool only_tensors = false;     ///< safetensors: names, dtypes, shapes and elements, in any order
  bool may_stay_opaque = false;  ///< what Taper need not support may be opaque
  std::set<std::string> opaque_keys{};  ///< of the outermost dict: their values may be opaque
};

/// Where and how `actual` is not what was expected; a few of many differences. Storages are paired,
/// not compared by label.
std::vector<std::string> differences(const Json& expected, const Json& actual, const Rules& rules);

/// Whether a description is that of a thing that no reader has to support.
bool is_unsupported(const Json& described);

}  // namespace taper::oracle
