// PickleOutput: encoder of pickle protocol 2. Writes numbers, strings, names and memo references;
// only values that are referenced get a memo entry.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/open_hash_index.h"

namespace taper::io {

class PickleOutput {
 public:
  void op(char c) { bytes_ += c; }
  void boolean(bool v) { op(v ? '\x88' : '\x89'); }
  void integer(std::int64_t v);
  /// Writes an integer of any size, given as `-?[0-9]+`.
  void big_integer(std::string_view decimal);
  void floating(double v);
  /// Writes a string. Throws ValueError if it is not UTF-8; lone surrogates are accepted, as in
  /// Python.
  void text(std::string_view s);
  /// Writes a string without a memo entry and without the checks of `text`. `s` must be UTF-8 and
  /// shorter than 4 GiB.
  void text_without_memo(std::string_view s);
  /// Writes a class or function. `name` is the Python 3 name; the pickle contains the Python 2
  /// name.
  void global(std::string_view module, std::string_view name);
  /// Writes a bytes object as a call that creates it, because protocol 2 does not have bytes. An
  /// empty object is written as `bytes()`, without a string.
  void bytes(std::string_view b);
  /// Writes the beginning of a tuple. The caller then writes the `items` items and calls
  /// `end_tuple`.
  void begin_tuple(std::size_t items);
  void end_tuple(std::size_t items);
  /// Writes the operation that discards the items of an unfinished tuple.
  void discard_tuple_items(std::size_t items);

  /// Writes a reference to the value memoized as `identity`. Returns false if no value was.
  bool try_write_reference(const void* identity);
  bool is_memoized(const void* identity) const { return find(identity) != OpenHashIndex::kNone; }
  /// Makes the value written last available to `try_write_reference` under `identity`.
  void memoize(const void* identity);

  /// Returns the complete pickle.
  std::string finish();

 private:
  void nested_global(std::string_view module, std::string_view name);

  /// A written value that the pickle can refer to.
  struct MemoSlot {
    std::size_t position, start;  // end of the value; beginning of a string or name
    const void* identity;
    std::uint32_t index;  // memo index; kUnused until the value is referred to
  };

  std::uint32_t find(const void* identity) const;
  bool try_write_reference(const OpenHashIndex& texts, std::size_t hash, std::string_view s);
  std::uint32_t add_memo_slot(std::size_t start, const void* identity = nullptr);
  void write_memo_get(std::uint32_t number);
  void write_little_endian(std::uint64_t v, int bytes);

  std::string bytes_;
  std::vector<MemoSlot> memo_slots_;  // in ascending order of position
  std::uint32_t used_ = 0;
  OpenHashIndex objects_, texts_, globals_;
};

}  // namespace taper::io
