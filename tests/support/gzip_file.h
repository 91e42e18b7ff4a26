// write_gzip: a compressed file.
#pragma once
#include <zlib.h>

#include <string>

namespace taper::test {

/// Creates or replaces a file with compressed bytes.
inline void write_gzip(const std::string& path, const std::string& bytes) {
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

}  // namespace taper::test
