// SHA-256, for case files that store hashes of long results.
#pragma once
#include <cstddef>
#include <string>

namespace taper::oracle {

/// Returns the hash of `size` bytes as 64 lower-case hexadecimal digits.
std::string sha256(const void* data, std::size_t size);

}  // namespace taper::oracle
