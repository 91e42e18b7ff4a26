// The bytes of a pickle of protocol 2: numbers, texts and names, and references to what was
// written before. Only what is referred to costs an entry of the memo.
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
  /// `-?[0-9]+`, however long.
  void big_integer(std::string_view decimal);
  void floating(double v);
  /// UTF-8, in which lone surrogates may stand as in Python. Throws ValueError for other bytes.
  void text(std::string_view s);
  /// A text that is not looked up.
  void fresh_text(std::string_view s);
  /// A class or function by its name in Python 3; the pickle has that of Python 2.
  void global(std::string_view module, std::string_view name);
  /// Protocol 2 has no bytes: a call that makes them of a text.
  void bytes(std::string_view b);
  /// Before the items of a tuple, and after them.
  void begin_tuple(std::size_t items);
  void end_tuple(std::size_t items);
  /// Drops the items of a tuple that was begun.
  void drop_tuple(std::size_t items);

  /// Refers to the value remembered as `identity`; false if there is none.
  bool recall(const void* identity);
  bool knows(const void* identity) const { return find(identity) != OpenHashIndex::kNone; }
  /// What was just written can be referred to from here on.
  void remember(const void* identity);

  /// The whole pickle.
  std::string finish();

 private:
  void nested_global(std::string_view module, std::string_view name);

  /// Where something ends that can be referred to.
  struct MemoSlot {
    std::size_t position, start;  // of a text or name: where it begins
    const void* identity;
    std::uint32_t index;  // in the memo; kUnused until something refers to it
  };

  std::uint32_t find(const void* identity) const;
  bool recall(const OpenHashIndex& texts, std::size_t hash, std::string_view s);
  std::uint32_t memo_slot(std::size_t start, const void* identity = nullptr);
  void refer(std::uint32_t number);
  void little(std::uint64_t v, int bytes);

  std::string bytes_;
  std::vector<MemoSlot> memo_slots_;  // by position
  std::uint32_t used_ = 0;
  OpenHashIndex objects_, texts_, globals_;
};

}  // namespace taper::io
