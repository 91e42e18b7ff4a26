// A file that appears whole or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/output.h"

namespace taper::io {

/// Writes to a temporary file beside `path`; commit() flushes it to disk and renames it. Without a
/// commit it is removed. All failures are IoErrors that name the file and the reason.
class AtomicFile : public Output {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes) override;
  void commit();

 private:
  void flush();
  [[noreturn]] void failed(const char* doing);

  std::string path_, temporary_;
  int fd_ = -1;
  std::vector<std::byte> buffer_;
};

}  // namespace taper::io
