// Writes what was read from a file again, in every format that it fits.
#pragma once
#include <string>

#include "files/entry.h"

namespace taper::oracle {

/// Reads the entry's file and writes it under `folder`, each format in a folder of its own. Gives
/// the entries of an index of what was written; what cannot be written is added to `failures`.
Json write_again(const FileEntry& entry, const std::string& folder, Json& failures);

}  // namespace taper::oracle
