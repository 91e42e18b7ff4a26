// LoadError: exception for checkpoints that cannot be loaded.
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
  /// Returns the path of the file or directory, "<bytes>" for a buffer or "<stream>" for a stream.
  /// The view is valid during the lifetime of the exception.
  std::string_view path() const noexcept { return {message() + kPrefixSize, path_size_}; }
  /// Returns the message without the operation and the path. The string is valid during the
  /// lifetime of the exception.
  const char* reason() const noexcept { return message() + kPrefixSize + path_size_ + 2; }

 private:
  static constexpr std::size_t kPrefixSize = std::string_view("load: ").size();
  std::size_t path_size_;
};

}  // namespace taper
