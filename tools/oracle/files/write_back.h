// Writes the contents of a file again in every format that supports them.
#pragma once
#include <string>

#include "files/entry.h"

namespace taper::oracle {

/// Reads the entry's file and writes it under `folder`, with a subdirectory per format. Returns the
/// index entries of the written files. Values that cannot be written are added to `failures`.
Json write_and_verify(const FileEntry& entry, const std::string& folder, Json& failures);

}  // namespace taper::oracle
