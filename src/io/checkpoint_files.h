// The file that a path of a checkpoint refers to.
#pragma once
#include <string>

namespace taper::io {

/// Returns `path`, or for a directory the path of the checkpoint in it, by the rules of
/// `resolve_checkpoint`.
std::string checkpoint_file(const std::string& path);

}  // namespace taper::io
