// Removal of the shards that an earlier save of the same checkpoint wrote.
#pragma once
#include <string>
#include <vector>

#include "io/safetensors/shard_index.h"
#include "io/write/serialized_file.h"

namespace taper::io {

/// Removes the files of earlier saves of the checkpoint `path` that are not in `written`: `path`
/// itself, its shards (`stem-00001-of-00003`) and its index. A loader could mistake them for parts
/// of the new checkpoint. As in huggingface_hub.
void remove_old_shards(const std::string& path, const std::vector<NamedFile>& written);

}  // namespace taper::io
