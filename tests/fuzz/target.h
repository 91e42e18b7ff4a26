// What fuzzers feed with bytes. A target returns for every input: what it throws, or what a
// sanitizer says, is a finding.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "taper/core/error.h"
#include "taper/core/value.h"

namespace taper::fuzz {

using Bytes = std::span<const std::byte>;

struct Target {
  std::string_view name;
  void (*run)(Bytes input);
};
const std::vector<Target>& targets();

// The targets, each in a file of its name.
void pickle(Bytes input);       ///< the data.pkl of a zip file that is good otherwise
void zip(Bytes input);          ///< a zip file
void legacy(Bytes input);       ///< what follows the first three pickles of a file of old times
void safetensors(Bytes input);  ///< two bytes of a header's length, the header, the data
void npz(Bytes input);          ///< NumPy's files
void load(Bytes input);         ///< any file
void module(Bytes input);       ///< the same as of pickle, of a whole module
void round_trip(Bytes input);   ///< any file; what is read is written, and read again

/// Reads a file that consists of these bytes and goes through all that it holds, or checks how it
/// is refused: none then. Throws std::logic_error for a finding: an error that is not clear, a
/// tensor that reaches outside of its storage, more memory for tensors than a file of the size may
/// have.
Value read(Bytes file);
/// Throws std::logic_error for an error that is not clear.
void check_error(const Error& e);
inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace taper::fuzz
