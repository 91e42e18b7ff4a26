// TensorFiles: the rows of the tensors in files as examples.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace data {

/// Options of TensorFiles.
struct TensorFilesOptions {
  std::vector<std::string> keys{};  ///< names of the tensors; default: all, in file order
  /// Reads a row when it is accessed, and not the whole file; blocks of rows of at most 4 KiB are
  /// stored, up to 128 MiB. Compressed files, and arrays in Fortran order, are read by the
  /// constructor.
  bool mmap = true;
};

/// Dataset of the rows of tensors in .npz, .npy and .safetensors files, and in checkpoints that are
/// dicts of tensors. Several files are concatenated. Example i is the dict of slice i of each
/// tensor along dimension 0, or the slice itself for .npy files. The rows of a batch
/// are selected at once.
///
/// Throws IoError if a file cannot be read or does not contain tensors, KeyError if it lacks a
/// tensor, ValueError if first dimensions differ within a file, or dtypes or shapes of rows between
/// files. `get` and `get_batch` throw IoError, with the path and the example, if a file was
/// truncated or cannot be read. Thread-safe.
class TensorFiles {
 public:
  explicit TensorFiles(const std::string& path, TensorFilesOptions options = {});
  explicit TensorFiles(const std::vector<std::string>& paths, TensorFilesOptions options = {});

  /// Returns the number of examples.
  std::int64_t size() const;
  /// Returns example i; a negative i counts from the end. Throws IndexError if i is out of range.
  Value get(std::int64_t i) const;
  /// Returns the examples at `indices`, each tensor stacked along a new first dimension.
  Value get_batch(std::span<const std::int64_t> indices) const;
  /// Returns the names of the tensors; empty for .npy files.
  const std::vector<std::string>& keys() const;

 private:
  struct Contents;
  std::shared_ptr<const Contents> contents_;
};

}  // namespace data
}  // namespace taper
