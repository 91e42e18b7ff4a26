#include "io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/check.h"

namespace taper::io {
namespace {
constexpr std::size_t kBuffer = std::size_t{1} << 18;
std::atomic<unsigned> serial{0};
}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  temporary_ =
      path_ + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(serial.fetch_add(1));
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    const std::string why = std::strerror(errno);
    fail<IoError>("save: {}: cannot create a file there: {}", path_, why);
  }
  buffer_.reserve(kBuffer);
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) {
    ::close(fd_);
    ::unlink(temporary_.c_str());
  }
}

void AtomicFile::failed(const char* doing) {
  const std::string why = std::strerror(errno);
  fail<IoError>("save: {}: {} failed: {}; the file is as it was", path_, doing, why);
}

void AtomicFile::flush() {
  const std::byte* from = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t n = ::write(fd_, from, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) failed("writing");
    from += n, left -= static_cast<std::size_t>(n);
  }
  buffer_.clear();
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  position_ += bytes;
  while (bytes > 0) {
    const std::size_t n = std::min(bytes, kBuffer - buffer_.size());
    buffer_.insert(buffer_.end(), from, from + n);
    from += n, bytes -= n;
    if (buffer_.size() == kBuffer) flush();
  }
}

void AtomicFile::commit() {
  flush();
  if (::fsync(fd_) != 0) failed("flushing to disk");
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int why = errno;
    ::unlink(temporary_.c_str());
    errno = why;
    failed("renaming");
  }
  // The new name itself must reach the disk as well.
  const std::size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  if (const int dir = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); dir >= 0) {
    ::fsync(dir);
    ::close(dir);
  }
}

}  // namespace taper::io
