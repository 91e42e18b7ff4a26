// What an earlier save left of a checkpoint that goes into several files.
#pragma once
#include <string>
#include <vector>

#include "io/write/serialized_file.h"

namespace taper::io {

/// Of the files that hold, or once held, the checkpoint `path` - itself, `stem-00001-of-00003` and
/// its like, the index - removes those that are not among `written`: a loader could take them for
/// a part of the new one. huggingface_hub does the same.
void remove_old_shards(const std::string& path, const std::vector<NamedFile>& written);
/// The path of shard `i`, counting from 1, of `count`.
std::string shard_path(const std::string& path, std::size_t i, std::size_t count);

}  // namespace taper::io
