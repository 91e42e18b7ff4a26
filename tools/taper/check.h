// taper check: what is wrong with a file.
#pragma once
#include <string>
#include <vector>

#include "contents.h"
#include "source.h"

namespace taper::cli {

/// One thing that was looked at.
struct Finding {
  enum class Severity : unsigned char { ok, note, error, skipped };
  Severity severity;
  std::string check;  ///< "damage", "values", "names", "copies", "code": names that stay
  std::string text;   ///< one or two sentences
  std::vector<std::string> details{};  ///< the tensors, names or calls that it is about
};

/// NaNs and infinities.
Finding check_values(const Contents& contents);
/// Prefixes that wrappers leave behind, doubled parts, names that differ in their case only.
Finding check_names(const Contents& contents);
/// Tensors with the same elements that share no memory.
Finding check_copies(const Contents& contents);
/// What Python would import and call; works on files that cannot be read.
Finding check_code(const Source& source);

}  // namespace taper::cli
