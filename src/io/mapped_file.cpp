#include "io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/check.h"

namespace taper::io {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const std::string why = std::strerror(errno);
    fail<IoError>("load: {}: cannot open it: {}", path, why);
  }
  struct stat s {};
  const bool regular = ::fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
  void* p = nullptr;
  if (regular && s.st_size > 0) {
    size_ = static_cast<std::size_t>(s.st_size);
    p = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  const int why = errno;
  ::close(fd);
  if (!regular) fail<IoError>("load: {}: it is not a regular file", path);
  if (p == MAP_FAILED)
    fail<IoError>("load: {}: cannot map it: {}", path, std::string(std::strerror(why)));
  data_ = static_cast<const std::byte*>(p);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace taper::io
