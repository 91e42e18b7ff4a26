// Files that are read once, whatever their size.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace command {

/// While it lives, pages of mapped files that were read do not pile up in this process: now and
/// then they are given back, and come from the page cache should they be wanted again. Nobody may
/// write to tensors over these files meanwhile, for what is written would be given back, too.
class Sweeper {
 public:
  explicit Sweeper(const std::vector<std::string>& files);
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

 private:
  void run();
  void sweep() const;

  std::map<std::uint64_t, std::uint64_t> sizes_;  // of mappings, by the file's inode
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace command
