// Zip archives whose every header can be bent.
#pragma once
#include <string>
#include <vector>

namespace taper::test {

struct ZipPart {
  std::string name, bytes;
  bool deflated = false;
  bool streamed = false;         ///< sizes and checksum are zero before the payload, and follow it
  std::string local_extra = {};  ///< stands in the local header alone
};

/// The archive, each record as its part says; with `zip64` its end as PyTorch writes it.
std::string zip_of(const std::vector<ZipPart>& parts, bool zip64 = false);

}  // namespace taper::test
