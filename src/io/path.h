// The two parts of a path of a file.
#pragma once
#include <string>

namespace taper::io {

/// Returns the directory part of a path, including the final slash; empty if it has none.
inline std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}
/// Returns what follows the directory part.
inline std::string file_name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace taper::io
