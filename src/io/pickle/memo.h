// PickleMemo: the memo of the pickle machine.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/pickle/operations.h"
#include "io/seeded_hash.h"
#include "taper/core/value.h"

namespace taper::io {

/// Memo that stores only the entries that the pickle reads later. Python's pickler memoizes every
/// object it writes, so that storing all of them would retain every tuple until the end.
class PickleMemo {
 public:
  PickleMemo(std::span<const std::byte> bytes, std::size_t begin) : use_(bytes, begin) {}
  bool will_be_used(std::uint64_t index) const { return use_.contains(index); }
  void put(std::uint64_t index, const Value& value) {
    if (index == next_sequential_) {
      ++next_sequential_;
      while (!out_of_order_.empty() && out_of_order_.erase(next_sequential_)) ++next_sequential_;
    } else if (index > next_sequential_) {
      out_of_order_.insert(index);
    }
    if (!will_be_used(index)) return;
    if (index >= kNumLowEntries) {
      values_[index] = value;
      return;
    }
    if (index >= low_entries_.size()) low_entries_.resize(index + 1);
    low_entries_[index] = {value, true};
  }
  /// Returns the value of an entry; null if it was not stored.
  const Value* get(std::uint64_t index) const {
    if (index < low_entries_.size())
      return low_entries_[index].is_set ? &low_entries_[index].value : nullptr;
    const auto found = values_.find(index);
    return found == values_.end() ? nullptr : &found->second;
  }
  /// Returns the number of distinct entries created, whether stored or not.
  std::uint64_t size() const { return next_sequential_ + out_of_order_.size(); }

 private:
  struct Entry {
    Value value{};
    bool is_set = false;
  };
  /// Entries below this index are stored in a vector. Names of functions and classes, which every
  /// tensor refers to, have low indices.
  static constexpr std::uint64_t kNumLowEntries = 1024;

  MemoUse use_;
  std::vector<Entry> low_entries_;
  std::unordered_map<std::uint64_t, Value, SeededHash> values_;
  std::uint64_t next_sequential_ = 0;  // all smaller indices are in use
  std::unordered_set<std::uint64_t, SeededHash> out_of_order_;
};

}  // namespace taper::io
