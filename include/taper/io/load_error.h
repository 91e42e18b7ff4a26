// LoadError: an error of reading a checkpoint, with the file and the reason.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/error.h"

namespace TAPER_API taper {

/// Thrown for a file that cannot be read or is not a valid checkpoint. The message is
/// "load: <path>: <reason>".
class LoadError : public IoError {
 public:
  LoadError(const std::string& path, const std::string& reason)
      : IoError("load: " + path + ": " + reason), path_size_(path.size()) {}
  /// The file or directory; "<bytes>" for a buffer and "<stream>" for a stream. Valid as long as
  /// the error.
  std::string_view path() const noexcept { return {message() + kPrefixSize, path_size_}; }
  /// The message without the operation and the path. Valid as long as the error.
  const char* reason() const noexcept { return message() + kPrefixSize + path_size_ + 2; }

 private:
  static constexpr std::size_t kPrefixSize = std::string_view("load: ").size();
  std::size_t path_size_;
};

}  // namespace taper
