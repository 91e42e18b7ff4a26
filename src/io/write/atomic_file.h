#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "io/write/output.h"

namespace taper::io {

/// Output file that replaces `path` atomically. Data is written to a temporary file in the same
/// directory, which commit() flushes to disk and renames; without a commit, the destructor removes
/// it. Temporary files of killed processes are removed by the next save to the same path. A
/// symbolic link is followed, and the mode of a replaced file is preserved. Devices and pipes are
/// written directly. Throws IoError with the path and the reason.
class AtomicFile : public Output {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes) override;
  /// Flushes all data to disk, still under the temporary name.
  void flush_to_disk();
  void commit();

 private:
  void create_temporary_for(const std::string& target);
  void write_out(const void* data, std::size_t bytes);
  [[noreturn]] void failed(const char* operation) const;

  // The path as given; the path with links resolved, or empty for a device or pipe; the path of the
  // temporary file, which is in the directory of `target_`.
  std::string path_, target_, temporary_;
  int fd_ = -1;
  bool flushed_ = false;
  std::vector<std::byte> buffer_;  // data of small writes that is not yet in the file
};

}  // namespace taper::io
