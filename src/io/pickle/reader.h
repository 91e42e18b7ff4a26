// PickleReader: a pickle machine that produces Values. Names are never resolved in the program;
// calls are limited to a closed table, and other objects are opaque.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/check.h"
#include "io/pickle/globals/resolver.h"
#include "io/pickle/memo.h"
#include "taper/core/shared_function.h"
#include "taper/core/value.h"

namespace taper::io {

/// Callback that returns the value to which a persistent id refers.
using PersistentLoad = SharedFunction<Value(const Value& id)>;

class PickleReader {
 public:
  PickleReader(std::span<const std::byte> bytes, std::string path, const GlobalResolver& resolver,
               PersistentLoad persistent, std::size_t begin = 0)
      : bytes_(bytes),
        path_(std::move(path)),
        resolver_(resolver),
        persistent_(std::move(persistent)),
        offset_(begin),
        memo_(bytes, begin) {}
  ~PickleReader();
  PickleReader(const PickleReader&) = delete;
  PickleReader& operator=(const PickleReader&) = delete;

  /// Executes operations up to STOP. Throws IoError with the byte position and the key of the value
  /// under construction if the pickle is invalid.
  Value read();
  /// Returns the offset of the first byte after the pickle.
  std::size_t used() const { return offset_; }

 private:
  // Python writes lists and dicts in batches of 1000, but a whole tuple is on the stack at once.
  static constexpr std::size_t kMaxStacked = 2'000'000;

  [[noreturn]] void throw_load_error(const std::string& reason) const;
  /// Throws LoadError with the position in the pickle and a message that is formatted as by `fail`.
  template <class... A>
  [[noreturn, gnu::cold, gnu::noinline]] void reject(fmt::format_string<FormatArg<A>...> form,
                                                     const A&... args) const {
    throw_load_error(format_message(form, args...));
  }
  [[noreturn, gnu::cold]] void reject_missing(std::uint64_t index) const;
  template <std::size_t Bytes> std::uint64_t read_uint();
  std::string_view read_bytes(std::uint64_t bytes);
  std::string_view line();
  std::string_view text(std::uint64_t bytes);
  void start_frame();
  void push(Value v) {
    if (stack_.size() == kMaxStacked) reject("too many values on the stack");
    stack_.push_back(std::move(v));
  }
  void push_counted(Value container);
  Value pop();
  Value& top();
  Values pop_to_mark();
  void step(unsigned char op);
  void step_number(unsigned char op);
  void step_text(unsigned char op);
  void step_container(unsigned char op);
  void execute_memo(unsigned char op);
  void append(const Value& to, Values items);
  void set_items(const Value& to, Values pairs);
  Value set_of(const Values& items) const;
  void add(Values items);
  void build(const Value& object, const Value& state);
  void break_all_cycles(const Value& result);
  Value long_integer(std::string_view little_endian) const;
  void track_shared(const Value& v);
  void count_container(bool is_dict = false);

  std::span<const std::byte> bytes_;
  std::string path_;
  const GlobalResolver& resolver_;
  PersistentLoad persistent_;
  std::size_t offset_, frame_end_ = 0;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
  PickleMemo memo_;
  std::unordered_map<const void*, std::uint64_t> memo_index_of_set_;
  const Value empty_tuple_ = Value::tuple();
  std::size_t copied_set_items_ = 0, container_bytes_ = 0;
  // Containers that the pickle may refer to more than once. Every cycle contains at least one.
  std::vector<Value> shared_;
  bool finished_ = false;
};

}  // namespace taper::io
