// resolve_checkpoint: finds the files of a checkpoint from the path of a file or directory.
#pragma once
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/io/file_kind.h"

namespace TAPER_API taper {

/// Files of a checkpoint.
struct CheckpointFiles {
  std::string file;  ///< path of the checkpoint, or of the index or metadata of a sharded one
  FileKind kind;     ///< kind of `file`
  /// Sorted paths of the files that an index or the metadata of a distributed checkpoint list;
  /// empty for other kinds. Entries of an index that are not the name of a file in its directory
  /// are omitted; `load` rejects them.
  std::vector<std::string> shards;
};

/// Returns the files that `load(path)` reads. Tensors are not read, and the contents of the files
/// are not validated.
///
/// If `path` is a directory, `file` is selected by the first pattern that matches a file in it:
/// 1. `.metadata`, of a distributed checkpoint;
/// 2. `*.safetensors.index.json`;
/// 3. `*.safetensors`, if exactly one file matches;
/// 4. any other `*.index.json`, such as `pytorch_model.bin.index.json`, except the indices of
///    TensorFlow and Flax (`*.h5.index.json`, `*.msgpack.index.json`);
/// 5. `pytorch_model.bin`;
/// 6. `*.pt`, `*.pth`, `*.bin`, `*.ckpt` or `*.npz`.
///
/// Throws LoadError if `path` cannot be read, or if a directory contains no candidate or several
/// candidates, which the message lists; and for invalid metadata of a distributed checkpoint.
[[nodiscard]] CheckpointFiles resolve_checkpoint(const std::string& path);

}  // namespace taper
