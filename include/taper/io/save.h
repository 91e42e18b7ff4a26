// Writing checkpoints that Python reads.
#pragma once
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "taper/core/value.h"

namespace taper {

enum class FileFormat {
  zip  ///< what torch.save writes since PyTorch 1.6
};

struct SaveOptions {
  FileFormat format = FileFormat::zip;
};

/// Writes a nested value (state dict, checkpoint, list of tensors, ...) as `.pt`, so that
/// torch.load(path, weights_only=True) reads it. Tensors that share memory are written once and
/// share it again when read; storages are written whole. Opaque values are written as the calls
/// that they stand for, so that torch.load(path, weights_only=False) makes the objects again.
/// Equal contents give equal bytes. The file appears whole or not at all: a temporary file beside
/// it is written, flushed to disk and renamed. PyTorch: torch.save.
///
/// Throws IoError (and leaves an old file as it was); what cannot be written is an error that names
/// its place in the value: TypeError for values that no checkpoint holds, RuntimeError for tensors
/// of different dtypes over one storage.
void save(const Value& value, const std::string& path, const SaveOptions& options = {});
/// The same to a stream. Throws IoError if it fails.
void save(const Value& value, std::ostream& stream, const SaveOptions& options = {});
/// The bytes of the file.
std::vector<std::byte> save_to_bytes(const Value& value, const SaveOptions& options = {});

}  // namespace taper
