#include "io/reopened_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/check.h"

namespace taper::io {

std::optional<ReopenedFile> ReopenedFile::open(const std::string& path,
                                               const FileIdentity& identity) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail<IoError>("cannot open the file: {}", std::strerror(errno));
  }
  ReopenedFile file(descriptor, identity.size);
  struct stat s {};
  if (::fstat(descriptor, &s) != 0) fail<IoError>("cannot be read: {}", std::strerror(errno));
  if (s.st_dev != identity.device || s.st_ino != identity.inode) return std::nullopt;
  return file;
}

ReopenedFile::ReopenedFile(ReopenedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

ReopenedFile& ReopenedFile::operator=(ReopenedFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

ReopenedFile::~ReopenedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t ReopenedFile::read(std::uint64_t at, std::byte* to, std::size_t count) const {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t n = ::pread(descriptor_, to + done, count - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail<IoError>("cannot be read: {}", std::strerror(errno));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

void ReopenedFile::check_size() const {
  struct stat s {};
  if (::fstat(descriptor_, &s) != 0) fail<IoError>("cannot be read: {}", std::strerror(errno));
  if (const auto now = static_cast<std::uint64_t>(s.st_size); now < size_)
    fail<IoError>("the file shrank from {} to {} bytes", size_, now);
}

}  // namespace taper::io
