// Assembles zip archives whose headers a test can alter.
#pragma once
#include <string>
#include <vector>

namespace taper::test {

struct ZipPart {
  std::string name, bytes;
  bool deflated = false;
  bool streamed = false;         ///< sizes and checksum follow the payload, and are zero before it
  std::string local_extra = {};  ///< extra field of the local header only
};

/// Returns an archive of the parts. If `zip64` is true, it has both end records, as those that
/// PyTorch writes.
std::string zip_of(const std::vector<ZipPart>& parts, bool zip64 = false);

}  // namespace taper::test
