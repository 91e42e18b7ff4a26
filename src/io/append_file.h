// AppendFile: a log file.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace taper::io {

/// Creates a directory and its parents. Throws IoError, which begins with `logger`.
void create_folder(const std::string& logger, const std::string& path);

/// Writes a file, or replaces it, atomically. Throws IoError, which begins with `logger`.
void replace_file(const std::string& logger, const std::string& path, std::string_view bytes);

/// File that is written at its end, without a buffer. Errors are IoErrors with the name of the
/// logger and the path.
class AppendFile {
 public:
  enum class Mode {
    create,   ///< fails if the file exists
    replace,  ///< removes the contents of an existing file
    extend,   ///< appends to an existing file
  };
  AppendFile(std::string logger, std::string path, Mode mode);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  const std::string& path() const { return path_; }
  /// Appends all bytes. If that fails, removes the bytes that were written, if possible, and
  /// throws.
  void append(std::string_view bytes);
  /// Throws IoError if the path does not refer to the file any more, because it or its directory
  /// was removed, renamed or replaced.
  void check_in_place() const;
  /// Closes the file, which may report that earlier writes failed. Further calls have no effect.
  void close();

 private:
  [[noreturn]] void throw_error(const char* operation) const;

  std::string logger_, path_;
  int fd_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace taper::io
