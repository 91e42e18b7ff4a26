// taper check: the individual checks of a file and their results.
#pragma once
#include <string>
#include <vector>

#include "contents.h"
#include "source.h"

namespace taper::cli {

/// Result of one check.
struct Finding {
  enum class Severity : unsigned char { ok, note, error, skipped };
  Severity severity;
  /// Stable identifier: "damage", "values", "names", "copies", "hooks" or "code".
  std::string check;
  std::string text;                    ///< summary in one or two sentences
  std::vector<std::string> details{};  ///< affected tensors, names or calls
};

/// Reports tensors with NaN or infinite elements.
Finding check_values(const Contents& contents);
/// Reports names with the prefixes of wrappers or repeated parts, and names that differ in case
/// only.
Finding check_names(const Contents& contents);
/// Reports tensors with equal elements that do not share memory.
Finding check_copies(const Contents& contents);
/// Reports names that Python would import or call when it loads the file. Also accepts files that
/// cannot be loaded.
Finding check_code(const Source& source);

}  // namespace taper::cli
