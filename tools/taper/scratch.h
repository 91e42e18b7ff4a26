// Room for elements that are made and written once.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/tensor.h"

namespace taper::cli {

/// Converts tensors to another dtype piece by piece. Large ones are kept in a file without a name
/// in `folder`, so that they take no memory of this program until they are written.
class Scratch {
 public:
  explicit Scratch(std::string folder) : folder_(std::move(folder)) {}
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// A contiguous tensor. Throws taper::IoError if there is no room.
  taper::Tensor converted(const taper::Tensor& t, taper::DType type);

 private:
  void open();
  void append(const taper::Tensor& t, taper::DType type);
  void write(const void* data, std::size_t bytes);
  [[noreturn]] void failed(const char* doing) const;

  std::string folder_;
  int fd_ = -1;
  std::int64_t end_ = 0;         // of the file
  std::uint64_t in_memory_ = 0;  // bytes of small tensors
};

}  // namespace taper::cli
