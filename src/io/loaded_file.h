// LoadedFile: a loaded file whose size is compared with that of its mapping.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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
  /// Returns the size of the mapping.
  std::uint64_t mapped_size() const;
  /// Returns the present size of the file, beyond which the mapping cannot be accessed; nullopt if
  /// the path refers to another file by now.
  std::optional<std::uint64_t> current_size() const;

 private:
  struct Mapping;
  std::shared_ptr<const Mapping> mapping_;
  Value contents_;
};

}  // namespace taper::io
