// The two parts of a path of a file, and names of files from files that are not trusted.
#pragma once
#include <string>
#include <string_view>

namespace taper::io {

/// Returns the directory part of a path, including the final slash; empty if it has none.
inline std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}
/// Returns what follows the directory part.
inline std::string file_name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}
/// Returns true if `name` refers to a file in a directory to whose path it is appended.
inline bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

}  // namespace taper::io
