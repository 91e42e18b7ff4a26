// Scratch: temporary storage for converted tensors.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/tensor.h"

namespace taper::cli {

/// Storage of tensors that are converted to another dtype piece by piece. Large results are stored
/// in an unnamed file in `folder` and mapped, so that they do not have to fit in memory.
class Scratch {
 public:
  explicit Scratch(std::string folder) : folder_(std::move(folder)) {}
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Returns `t` converted to dtype `type`, contiguous; possibly `t` itself. Throws taper::IoError
  /// if the temporary file cannot be written.
  taper::Tensor converted(const taper::Tensor& t, taper::DType type);

 private:
  void open();
  void append(const taper::Tensor& t, taper::DType type);
  void write(const void* data, std::size_t bytes);
  [[noreturn]] void throw_failed(const char* operation) const;

  std::string folder_;
  int fd_ = -1;
  std::int64_t end_ = 0;         // size of the file
  std::uint64_t in_memory_ = 0;  // total size of the small tensors in memory
};

}  // namespace taper::cli
