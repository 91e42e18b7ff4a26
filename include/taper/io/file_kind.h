// FileKind: file type, detected from the contents.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Type of a file. The kinds from torchscript on are detected, but `load` rejects them with a hint.
enum class FileKind : std::uint8_t {
  torch_zip,     ///< torch.save of PyTorch 1.6 and later
  torch_legacy,  ///< torch.save before PyTorch 1.6
  safetensors,
  safetensors_index,  ///< JSON file that maps tensors to the files of a sharded checkpoint
  distributed,        ///< metadata of torch.distributed.checkpoint, beside files of pieces
  npy,
  npz,
  // Detected and rejected.
  torchscript,
  torch_tar,  ///< torch.save of 2016
  onnx,
  gguf,
  hdf5,    ///< for example .h5 of Keras
  keras,   ///< .keras of Keras
  pickle,  ///< pickle not written by torch.save, such as joblib or pickle.dump
  zip,     ///< any other zip archive
  gzip,
  git_lfs,  ///< pointer to a file in Git LFS
  html,     ///< web page saved instead of the file
  empty,
  other
};

/// Returns the type of a file from a few of its bytes; does not verify that the file is complete.
/// Throws IoError if the file cannot be read.
[[nodiscard]] FileKind file_kind(const std::string& path);
/// Returns the display name of a file type: "PyTorch checkpoint (zip)".
std::string_view name_of(FileKind kind);
/// Returns true if `load` supports the file type.
bool is_readable(FileKind kind);

}  // namespace taper
