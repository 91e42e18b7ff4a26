// FileEntry: a file of a corpus and its expected result.
#pragma once
#include <string>
#include <vector>

#include "files/differ.h"

namespace taper::oracle {

/// Entry of index.json with the fields that determine success.
struct FileEntry {
  std::string file, kind, expect, path;
  bool hostile = false;
  const Json* value = nullptr;     ///< the description, or null
  const Json* metadata = nullptr;  ///< metadata of a safetensors file, or null
  Rules rules;
};

/// Parses an entry. Throws MalformedCase if it is malformed.
FileEntry read_entry(const Json& entry, const std::string& folder, bool strict_stride);

struct CaseResult {
  std::vector<std::string> failures;
  std::string outcome;  ///< outcome for display
  bool was_read = false;
  double seconds = 0;
};

/// Reads the file in this process and evaluates the result.
CaseResult evaluate(const FileEntry& entry);

/// Returns why the text of an error about `path` is unclear; empty if it is clear.
std::string check_error_clarity(const std::string& text, const std::string& path);
/// Returns the missing information in an error that rejects unsupported parts; empty if the error
/// is sufficient.
std::string check_error_names(const std::string& text, const FileEntry& entry);

}  // namespace taper::oracle
