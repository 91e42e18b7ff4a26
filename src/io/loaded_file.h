// LoadedFile: a loaded file whose tensors can be read again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "io/reopened_file.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"
#include "taper/io/load.h"

namespace taper::io {

class LoadedFile {
 public:
  /// Loads a file as taper::load. Throws its errors.
  LoadedFile(const std::string& path, const LoadOptions& options);

  /// Returns the loaded value, and releases it.
  Value take_contents() { return std::move(contents_); }
  /// Returns true if the tensor is a view of the mapped file.
  bool contains(const Tensor& tensor) const;
  /// Returns the position of the first element of a tensor that is a view of the mapped file.
  std::uint64_t position_of(const Tensor& tensor) const;
  /// Opens the file again, as Source::reopen().
  std::optional<ReopenedFile> reopen() const;

 private:
  struct Mapping;
  std::shared_ptr<const Mapping> mapping_;
  Value contents_;
};

/// Returns the elements of a contiguous tensor on the CPU.
std::byte* element_bytes(const Tensor& tensor);

}  // namespace taper::io
