// TempDir: a directory that exists as long as the object.
#pragma once
#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace taper::test {

/// Creates an empty directory with a unique name; the destructor removes it with its contents.
class TempDir {
 public:
  /// `parent`: an existing directory; by default the system's directory for temporary files.
  explicit TempDir(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : path_((parent / "taper_test_XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) throw std::runtime_error("cannot create " + path_);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  /// Returns the path of an entry of the directory.
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Returns the number of entries.
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

}  // namespace taper::test
