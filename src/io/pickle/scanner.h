// PickleScanner: a pickle machine that tracks the names on its stack without constructing values.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/pickle/operations.h"
#include "io/seeded_hash.h"
#include "taper/io/pickle_scan.h"

namespace taper::io {

class PickleScanner {
 public:
  /// Reports to `found`, with `record` as the name of the record; it is empty for a file that
  /// is not an archive.
  PickleScanner(std::span<const std::byte> bytes, std::string record, PickleScan& found)
      : bytes_(bytes), record_(std::move(record)), found_(found) {}
  /// Scans the pickle that starts at `at` and sets `at` to its end. Returns false, and records the
  /// reason, if the pickle could not be scanned to its end.
  bool scan(std::size_t& at);

 private:
  /// Stack entry: the kind in the lower bits and, in the upper bits, the offset of the operation
  /// for a text, or the index of the global that was pushed or called to create the value.
  struct Symbol {
    enum Kind : std::uint8_t { other, text, global, made };
    std::uint64_t packed = other;
    Kind kind() const { return static_cast<Kind>(packed & 3); }
    std::uint64_t value() const { return packed >> 2; }
    static Symbol of(Kind kind, std::uint64_t value) { return {value << 2 | kind}; }
  };
  struct ScanAborted {
    std::string why;
  };

  void run();
  void step(const PickleOperation& op);
  void execute_call(const PickleOperation& op);
  void execute_memo(const PickleOperation& op);
  bool execute_data(unsigned char op);
  std::string text_of(Symbol s) const;
  void push(Symbol s);
  void push() { push(Symbol()); }
  Symbol pop();
  void pop_many(int count);
  std::size_t pop_to_mark();
  std::size_t name(std::string_view module, std::string_view name);
  std::size_t name(const std::string& whole);
  void call(Symbol callable);
  void memoize(std::uint64_t index, Symbol s);

  std::span<const std::byte> bytes_;
  std::string record_;
  PickleScan& found_;
  std::size_t offset_ = 0, op_ = 0;
  std::vector<Symbol> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Symbol, SeededHash> memo_;
  std::uint64_t memoized_ = 0;
  std::map<std::string, std::size_t, std::less<>> global_indices_;
};

}  // namespace taper::io
