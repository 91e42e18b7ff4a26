#include "sweeper.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace command {
namespace {

constexpr std::uint64_t kMost = 64u << 20;  // of pages of files
constexpr std::chrono::milliseconds kPause(20);

std::uint64_t page() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

std::uint64_t file_pages() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t size = 0, resident = 0, shared = 0;
  in >> size >> resident >> shared;
  return shared * page();
}

}  // namespace

Sweeper::Sweeper(const std::vector<std::string>& files) {
  std::uint64_t total = 0;
  for (const std::string& file : files) {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;  // said by who reads it
    const auto size = static_cast<std::uint64_t>(s.st_size);
    sizes_[s.st_ino] = (size + page() - 1) / page() * page();
    total += size;
  }
  if (total > kMost) thread_ = std::thread([this] { run(); });
}

Sweeper::~Sweeper() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Sweeper::run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kPause, [this] { return end_; }))
    if (file_pages() > kMost) sweep();
}

/// Whole private mappings of these files: what libraries of the program have mapped are parts.
void Sweeper::sweep() const {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream in(line);
    std::uint64_t begin = 0, end = 0, offset = 0, inode = 0;
    char dash = 0;
    std::string access, device;
    in >> std::hex >> begin >> dash >> end >> access >> offset >> device >> std::dec >> inode;
    const auto known = sizes_.find(inode);
    if (in && known != sizes_.end() && access == "rw-p" && offset == 0 &&
        end - begin == known->second)
      ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
}

}  // namespace command
