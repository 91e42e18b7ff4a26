// Decoding of pickle operations without executing them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace taper::io {

struct PickleOperation {
  unsigned char code = 0;
  std::string_view argument{};  ///< without the length field; both lines for GLOBAL and INST
  std::size_t end = 0;          ///< offset of the next operation
  /// Returns the argument, or its first eight bytes if it is longer, as a little-endian number.
  std::uint64_t number() const;
};

/// Returns true if `code` is a pickle operation of Python.
bool is_pickle_operation(std::byte code);

/// Returns the operation at byte `at`; its code is 0 if it is unknown, truncated or absent.
PickleOperation pickle_operation(std::span<const std::byte> bytes, std::size_t at);

/// Set of the memo entries that a pickle reads.
class MemoUse {
 public:
  /// Scans the operations from `begin` up to STOP.
  MemoUse(std::span<const std::byte> bytes, std::size_t begin);
  /// Returns true if the entry is read. Returns true for every entry if the pickle is damaged or
  /// reads the memo with an operation of protocol 0; the reader then reports the error.
  bool contains(std::uint64_t index) const {
    return all_ || (index < used_.size() && used_[index]);
  }

 private:
  std::vector<bool> used_;
  bool all_ = false;
};

}  // namespace taper::io
