// The bytes of a pickle of protocol 2: numbers, texts and names, and references to what was
// written before. Only what is referred to costs an entry of the memo.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  bool knows(const void* identity) const { return objects_.contains(identity); }
  /// What was just written can be referred to from here on.
  void remember(const void* identity) { objects_.emplace(identity, place()); }

  /// The whole pickle.
  std::string finish();

 private:
  struct Place {
    std::size_t position;
    std::uint32_t index;  // in the memo; kUnused until something refers to it
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Texts = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

  std::uint32_t place();
  void refer(std::uint32_t number);
  void little(std::uint64_t v, int bytes);

  std::string bytes_;
  std::vector<Place> places_;  // by position
  std::uint32_t used_ = 0;
  std::unordered_map<const void*, std::uint32_t> objects_;
  Texts texts_, globals_;
};

}  // namespace taper::io
