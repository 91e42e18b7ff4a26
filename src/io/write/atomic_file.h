// A file that appears whole or not at all.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "io/write/output.h"

namespace taper::io {

/// Writes to a temporary file beside `path`; commit() flushes it to disk and renames it. Without a
/// commit it is removed; what a process that was killed left behind is removed by the next one that
/// writes the same file. A symbolic link stays, what it points to is replaced; a file that is
/// replaced gives the new one its mode. A device or a pipe is written straight. All failures are
/// IoErrors that name the file and the reason.
class AtomicFile : public Output {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes) override;
  /// Everything is on the disk after it, under the temporary name.
  void flush_to_disk();
  void commit();

 private:
  void create_beside(const std::string& target);
  void write_out(const void* data, std::size_t bytes);
  [[noreturn]] void failed(const char* doing) const;

  std::string path_, target_, temporary_;  // as given, without links, beside it
  int fd_ = -1;
  bool flushed_ = false;
  std::vector<std::byte> buffer_;  // of what is small
};

}  // namespace taper::io
