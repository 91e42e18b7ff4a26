#include "io/write/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/check.h"
#include "io/write/temporary_file.h"

namespace taper::io {
namespace {
// Writes of at least half the buffer size bypass the buffer, because copying them costs more than
// an extra system call.
constexpr std::size_t kBufferSize = std::size_t{1} << 17;
}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    fd_ = retry_on_eintr([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); });
    if (fd_ < 0) failed("opening");
  } else {
    create_temporary_for(resolve_links(path));
  }
  buffer_.reserve(kBufferSize);
}

void AtomicFile::create_temporary_for(const std::string& target) {
  target_ = target;
  struct stat old {};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  if (replaces && ::access(target.c_str(), W_OK) != 0) failed("opening");
  remove_leftovers(target);
  fd_ = create_temporary(target, temporary_);
  if (fd_ < 0) failed("creating a temporary file");
  if (!replaces) return;
  // Preserving the owner requires privileges and is best effort; the mode is always preserved.
  const bool owned = old.st_uid == ::geteuid() && old.st_gid == ::getegid();
  [[maybe_unused]] const bool given =
      owned || ::fchown(fd_, old.st_uid, old.st_gid) == 0 || ::fchown(fd_, ~0u, old.st_gid) == 0;
  ::fchmod(fd_, old.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::failed(const char* operation) const {
  const std::string why = std::strerror(errno);
  const char* const state = target_.empty() ? "" : "; the existing file is unchanged";
  fail<IoError>("save: {}: {} failed: {}{}", path_, operation, why, state);
}

/// Writes the buffer, followed by `data`.
void AtomicFile::write_out(const void* data, std::size_t bytes) {
  struct iovec parts[2] = {{buffer_.data(), buffer_.size()}, {const_cast<void*>(data), bytes}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    const ssize_t n = retry_on_eintr([&] { return ::writev(fd_, parts, 2); });
    if (n == 0) errno = EIO;
    if (n <= 0) failed("writing");
    auto left = static_cast<std::size_t>(n);
    for (struct iovec& part : parts) {
      const std::size_t done = std::min(left, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + done;
      part.iov_len -= done, left -= done;
    }
  }
  buffer_.clear();
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  position_ += bytes;
  if (bytes >= kBufferSize / 2) return write_out(data, bytes);
  if (bytes > kBufferSize - buffer_.size()) write_out(nullptr, 0);
  const auto* const from = static_cast<const std::byte*>(data);
  buffer_.insert(buffer_.end(), from, from + bytes);
}

void AtomicFile::flush_to_disk() {
  if (flushed_) return;
  write_out(nullptr, 0);
  if (!target_.empty() && retry_on_eintr([&] { return ::fsync(fd_); }) != 0)
    failed("flushing to disk");
  flushed_ = true;
}

void AtomicFile::commit() {
  flush_to_disk();
  if (target_.empty()) return;
  // The lock is held until the rename, because another process removes unlocked temporary files.
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) failed("renaming");
  temporary_.clear();
  if (!flush_folder(target_)) {  // makes the rename durable
    const std::string why = std::strerror(errno);
    fail<IoError>(
        "save: {}: the new file was written, but flushing its directory to disk failed: {}", path_,
        why);
  }
}

}  // namespace taper::io
