#pragma once
#include <string>

namespace taper::io {

/// Returns `path`. If `path` is a directory, returns the path of the checkpoint in it, selected as
/// in `resolve_checkpoint`.
std::string checkpoint_file(const std::string& path);

}  // namespace taper::io
