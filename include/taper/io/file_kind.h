// What kind of file something is, told from its contents.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {

enum class FileKind : std::uint8_t {
  torch_zip,     ///< torch.save since PyTorch 1.6
  torch_legacy,  ///< torch.save before
  safetensors,
  safetensors_index,  ///< the JSON that says which file beside it holds which tensor
  npy,
  npz,
  // Known by sight, and refused with a word on what to do.
  torchscript,
  torch_tar,  ///< torch.save of 2016
  onnx,
  gguf,
  hdf5,    ///< Keras's .h5 among others
  keras,   ///< Keras's .keras
  pickle,  ///< a pickle that is not torch.save's: joblib, pickle.dump
  zip,     ///< some other zip archive
  gzip,
  git_lfs,  ///< a pointer to the file
  html,     ///< a page saved in place of the file
  empty,
  other
};

/// Looks at a few bytes; whether the rest is whole, `load` finds out. Throws IoError for what
/// cannot be read.
[[nodiscard]] FileKind file_kind(const std::string& path);
/// "PyTorch checkpoint (zip)", as it is shown to people.
std::string_view name_of(FileKind kind);
/// Whether `load` reads files of this kind.
bool is_readable(FileKind kind);

}  // namespace taper
