// Writing checkpoints that Python reads.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper {

/// Writes a nested value (state dict, checkpoint, list of tensors, ...) as `.pt`, so that
/// torch.load(path, weights_only=True) reads it. Tensors that share memory are written once and
/// share it again when read. The file appears whole or not at all: a temporary file beside it is
/// written, flushed to disk and renamed. PyTorch: torch.save. Throws IoError (and leaves an old
/// file as it was), TypeError for values that no checkpoint holds, RuntimeError for tensors of
/// different dtypes over one storage.
void save(const Value& value, const std::string& path);

}  // namespace taper
