#include "io/write/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <vector>

#include "core/check.h"
#include "io/path.h"

namespace taper::io {
namespace {

constexpr std::string_view kMark = ".taper-";  // followed by the process id and a number
constexpr std::size_t kMaxNameLength = 200;  // below the limit of 255, to leave space for the mark
std::atomic<unsigned> serial{0};

/// Returns the common prefix of the names of all temporary files for `target`.
std::string prefix_of(const std::string& target) {
  std::string name = file_name_of(target);
  if (name.size() > kMaxNameLength) {
    const std::size_t hash = std::hash<std::string>()(name);
    name = name.substr(0, kMaxNameLength - 20) + std::to_string(hash);
  }
  return "." + name + std::string(kMark);
}

void with_preserved_errno(const auto& action) {
  const int saved_errno = errno;
  action();
  errno = saved_errno;
}

}  // namespace

std::string resolve_links(const std::string& path) {
  constexpr int kMaxLinks = 40;  // as in the Linux kernel
  std::string at = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    std::vector<char> text(4096);
    const ssize_t n = ::readlink(at.c_str(), text.data(), text.size());
    if (n < 0) return at;
    const std::string to(text.data(), static_cast<std::size_t>(n));
    at = to.starts_with('/') ? to : folder_of(at) + to;
  }
  fail<IoError>("save: {}: too many levels of symbolic links", path);
}

int create_temporary(const std::string& target, std::string& name) {
  const std::string start =
      folder_of(target) + prefix_of(target) + std::to_string(::getpid()) + "-";
  for (;;) {
    name = start + std::to_string(serial.fetch_add(1));
    const int fd = retry_on_eintr(
        [&] { return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) {
      name.clear();
      return fd;
    }
    // Another process may have removed the file as a leftover before it was locked.
    struct stat file {};
    retry_on_eintr([&] { return ::flock(fd, LOCK_EX); });
    if (::fstat(fd, &file) != 0 || file.st_nlink > 0) return fd;
    ::close(fd);
  }
}

void remove_leftovers(const std::string& target) {
  const std::string folder = folder_of(target), prefix = prefix_of(target);
  DIR* const names = ::opendir(folder.empty() ? "." : folder.c_str());
  if (!names) return;
  while (const dirent* entry = ::readdir(names)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix) ||
        name.find_first_not_of("0123456789-", prefix.size()) != std::string_view::npos)
      continue;
    const std::string path = folder + std::string(name);
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(fd);
  }
  ::closedir(names);
}

void remove_own(const std::string& target) {
  const std::string folder = folder_of(resolve_links(target)),
                    mark = std::string(kMark) + std::to_string(::getpid()) + "-";
  DIR* const names = ::opendir(folder.empty() ? "." : folder.c_str());
  if (!names) return;
  while (const dirent* entry = ::readdir(names)) {
    const std::string_view name = entry->d_name;
    const std::size_t at = name.rfind(mark);
    if (name[0] == '.' && at != std::string_view::npos &&
        name.find_first_not_of("0123456789", at + mark.size()) == std::string_view::npos)
      ::unlink((folder + std::string(name)).c_str());
  }
  ::closedir(names);
}

bool flush_folder(const std::string& target) {
  const std::string folder = folder_of(target);
  const int fd = retry_on_eintr([&] {
    return ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  if (fd < 0) return errno == EACCES;  // the directory may be writable but not readable
  const bool done = retry_on_eintr([&] { return ::fsync(fd); }) == 0 || errno == EINVAL;
  with_preserved_errno([&] { ::close(fd); });
  return done;
}

}  // namespace taper::io
