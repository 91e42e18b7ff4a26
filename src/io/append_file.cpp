#include "io/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/check.h"

namespace taper::io {

void create_folder(const std::string& logger, const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  // A path that ends with a slash, or a link to a directory, may be reported as not created.
  if (error || !std::filesystem::is_directory(path, error))
    fail<IoError>("{}: cannot create the directory '{}': {}", logger, path,
                  error ? error.message() : std::string(std::strerror(ENOTDIR)));
}

void replace_file(const std::string& logger, const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".tmp";
  std::error_code error;
  try {
    AppendFile out(logger, temporary, AppendFile::Mode::replace);
    out.append(bytes);
    out.close();
    std::filesystem::rename(temporary, path, error);
    if (error) fail<IoError>("{}: cannot replace '{}': {}", logger, path, error.message());
  } catch (...) {
    std::filesystem::remove(temporary, error);
    throw;
  }
}

AppendFile::AppendFile(std::string logger, std::string path, Mode mode)
    : logger_(std::move(logger)), path_(std::move(path)) {
  const int flags = mode == Mode::create ? O_EXCL : mode == Mode::replace ? O_TRUNC : 0;
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
  if (fd_ < 0) throw_error("create");
  struct stat status;
  if (::fstat(fd_, &status) == 0) size_ = status.st_size;
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

void AppendFile::append(std::string_view bytes) {
  const std::int64_t before = size_;
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int reason = written < 0 ? errno : EIO;
      if (::ftruncate(fd_, before) == 0) size_ = before;
      errno = reason;
      throw_error("write");
    }
    size_ += written;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AppendFile::check_in_place() const {
  struct stat open, named;
  if (::fstat(fd_, &open) != 0) throw_error("examine");
  if (::stat(path_.c_str(), &named) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) throw_error("examine");
    fail<IoError>("{}: '{}' was removed or renamed while it was being written", logger_, path_);
  }
  if (open.st_dev != named.st_dev || open.st_ino != named.st_ino)
    fail<IoError>("{}: '{}' was replaced while it was being written", logger_, path_);
}

void AppendFile::close() {
  if (fd_ < 0) return;
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0 && errno != EINTR) throw_error("close");
}

void AppendFile::throw_error(const char* operation) const {
  const int reason = errno;
  fail<IoError>("{}: cannot {} '{}': {}", logger_, operation, path_, std::strerror(reason));
}

}  // namespace taper::io
