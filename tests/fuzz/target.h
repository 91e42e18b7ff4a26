// Fuzz targets. A target must return for every input: an exception or a sanitizer report is a
// finding.
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

// The targets, each defined in the file of its name. The comment describes the input.
void pickle(Bytes input);       ///< data.pkl of an otherwise valid zip file
void zip(Bytes input);          ///< a zip file
void legacy(Bytes input);       ///< everything after the first three pickles of a legacy file
void safetensors(Bytes input);  ///< two bytes with the length of the header, the header, the data
void npz(Bytes input);          ///< NumPy files
void load(Bytes input);         ///< any file
void distributed(Bytes input);  ///< metadata of a distributed checkpoint
void module(Bytes input);       ///< data.pkl of a zip file that contains a whole module
void round_trip(Bytes input);   ///< any file; the result is written and read again
void image(Bytes input);        ///< an image file
void csv(Bytes input);          ///< two bytes with the options, a CSV text
void tar(Bytes input);          ///< a tar archive
void event(Bytes input);        ///< a record of an event file
void op(Bytes input);           ///< choices of an op, its attributes and its inputs

/// Reads a file that consists of these bytes and walks through its contents, or checks the error
/// and returns None. Throws std::logic_error for a finding: an unclear error, a tensor that reaches
/// outside of its storage, or more memory for tensors than a file of this size justifies.
Value read(Bytes file);
/// Throws std::logic_error if the error is unclear.
void check_error(const Error& e);
/// Calls f and checks its error. Returns true if there was none.
template <class F> bool attempt(F f) {
  try {
    f();
    return true;
  } catch (const Error& e) {
    check_error(e);
    return false;
  }
}
inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace taper::fuzz
