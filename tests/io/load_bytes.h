// Helpers that load files and pickles assembled by a test.
#pragma once
#include <span>
#include <string>

#include "assemble.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper::test {

inline Value load_bytes(const std::string& bytes, const LoadOptions& options = {}) {
  return load(std::as_bytes(std::span(bytes)), options);
}

/// Loads a checkpoint with this `data.pkl` from memory.
inline Value load_pickle(const std::string& data_pkl, const LoadOptions& options = {}) {
  return load_bytes(checkpoint(data_pkl), options);
}

/// As `load_pickle`, but from a file.
inline Value load_pickle_file(const std::string& data_pkl) {
  const TempDir dir;
  write_bytes(dir / "x.pt", checkpoint(data_pkl));
  return load(dir / "x.pt");
}

inline Value save_and_load(const Value& v) { return load(save_to_bytes(v)); }

}  // namespace taper::test
