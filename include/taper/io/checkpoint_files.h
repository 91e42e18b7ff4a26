// resolve_checkpoint: the files of a checkpoint that is given by the path of a file or a directory.
#pragma once
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/io/file_kind.h"

namespace TAPER_API taper {

/// The files of a checkpoint.
struct CheckpointFiles {
  std::string file;  ///< the file to open: a checkpoint, or the index of a sharded one
  FileKind kind;     ///< of `file`
  /// Paths of the files that an index lists, sorted; empty for other kinds. Entries that are not
  /// names of files in the directory of the index are omitted; `load` rejects them.
  std::vector<std::string> shards;
};

/// Returns the files that `load(path)` reads, without reading tensors.
///
/// For a directory, `file` is chosen by name, safetensors before other formats:
/// 1. `*.safetensors.index.json`;
/// 2. `*.safetensors`, if there is one;
/// 3. any other `*.index.json`, such as `pytorch_model.bin.index.json`; not those of TensorFlow and
///    Flax (`*.h5.index.json`, `*.msgpack.index.json`);
/// 4. `pytorch_model.bin`;
/// 5. `*.pt`, `*.pth`, `*.bin`, `*.ckpt` or `*.npz`.
///
/// Throws LoadError for a path that cannot be read, for a directory without a candidate, and for
/// one with several; the message lists them. Whether the contents of the files are valid is not
/// checked.
[[nodiscard]] CheckpointFiles resolve_checkpoint(const std::string& path);

}  // namespace taper
