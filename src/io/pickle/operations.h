// A pickle as a list of operations, none of which is carried out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace taper::io {

struct PickleOperation {
  unsigned char code = 0;
  std::string_view argument{};  ///< without its length; of GLOBAL and INST both lines
  std::size_t end = 0;          ///< where the next one begins
  /// The argument as a number: little-endian, of at most eight bytes.
  std::uint64_t number() const;
};

/// Whether Python has an operation of that code.
bool is_pickle_operation(std::byte code);

/// The operation at byte `at`; code 0 where there is none: unknown, or truncated.
PickleOperation pickle_operation(std::span<const std::byte> bytes, std::size_t at);

/// Which memo entries a pickle ever asks for.
class MemoUse {
 public:
  /// Looks at the operations from `begin` up to STOP.
  MemoUse(std::span<const std::byte> bytes, std::size_t begin);
  /// True for every entry if the pickle is damaged: the reader says where.
  bool contains(std::uint64_t index) const {
    return all_ || (index < used_.size() && used_[index]);
  }

 private:
  std::vector<bool> used_;
  bool all_ = false;
};

}  // namespace taper::io
