#include "io/pickle/reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/check.h"
#include "io/pickle/cycles.h"
#include "io/pickle/values.h"
#include "io/text.h"
#include "taper/io/load_error.h"

namespace taper::io {
namespace {

constexpr std::size_t kMaxDigits = 4096;  // limit on the bytes of an integer
// A container occupies about a hundred times the byte that can create it, and a dict twice as much.
// Their total is limited to 50 MB, plus 64 bytes per byte of the file beyond 1 MiB. With the slots
// that hold the containers, the first limit is about 64 MB.
constexpr std::size_t kBytesOfContainer = 110, kBytesOfDict = 240, kMaxBytes = 50'000'000,
                      kLargeFile = std::size_t{1} << 20, kBytesPerByte = 64;
constexpr double kMaxExpandedItems =
    1e7;  // limit on items; shared containers count once per reference

/// Returns the name of an unsupported operation for an error message; the code of one without a
/// name.
std::string name_of_operation(unsigned char op) {
  switch (op) {
    case 'o': return "OBJ";
    case 'P': return "PERSID";
    case 0x82:
    case 0x83:
    case 0x84: return "EXT";
    case 'I':
    case 'L':
    case 'F':
    case 'S':
    case 'V':
    case 'g':
    case 'p': return std::string("'") + static_cast<char>(op) + "' of the textual protocol 0";
    default: return std::to_string(op);
  }
}

}  // namespace

PickleReader::~PickleReader() {
  if (finished_) return;
  // The values are discarded after an error; a cycle among them would leak.
  for (const Value& v : shared_) {
    if (v.is_list()) {
      v.as_list().clear();
    } else if (v.is_dict()) {
      const Value& attributes = v.as_dict().attributes();
      if (attributes.is_dict()) attributes.as_dict().clear();
      v.as_dict().clear();
    } else if (v.kind() == Value::Kind::opaque) {
      v.as_opaque() = Opaque{};
    }
  }
}

void PickleReader::throw_load_error(const std::string& reason) const {
  const std::string where = stack_position(stack_, marks_);
  throw LoadError(
      path_, taper::format_message("pickle byte {}{}{}: {}", offset_, where.empty() ? "" : ", at ",
                                   where, escape_for_message(reason, kMaxReasonLength)));
}

std::string_view PickleReader::read_bytes(std::uint64_t n) {
  if (n > bytes_.size() - offset_) reject("the pickle is truncated");
  if (offset_ < frame_end_ && n > frame_end_ - offset_) reject("a value extends beyond its frame");
  const std::string_view s(reinterpret_cast<const char*>(bytes_.data()) + offset_, n);
  offset_ += n;
  return s;
}

template <std::size_t Bytes> std::uint64_t PickleReader::read_uint() {
  const std::string_view s = read_bytes(Bytes);
  std::uint64_t v = 0;
  std::memcpy(&v, s.data(), Bytes);
  return v;
}

std::string_view PickleReader::line() {
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + offset_,
                              bytes_.size() - offset_);
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) reject("the pickle is truncated");
  return read_bytes(end + 1).substr(0, end);
}

std::string_view PickleReader::text(std::uint64_t bytes) {
  const std::string_view s = read_bytes(bytes);
  if (!is_utf8(s, true)) reject("invalid UTF-8 in string '{}'", escape_for_message(s));
  return s;
}

void PickleReader::start_frame() {
  const std::uint64_t size = read_uint<8>();
  if (offset_ < frame_end_) reject("nested frames");
  if (size > bytes_.size() - offset_)
    reject("a frame of {} bytes, but {} bytes are left", size, bytes_.size() - offset_);
  frame_end_ = offset_ + size;
}

Value PickleReader::pop() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) reject("the stack is empty");
  Value v = std::move(stack_.back());
  stack_.pop_back();
  return v;
}
Value& PickleReader::top() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) reject("the stack is empty");
  return stack_.back();
}
Values PickleReader::pop_to_mark() {
  if (marks_.empty()) reject("missing mark on the stack");
  count_container();
  Values items(std::make_move_iterator(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back())),
               std::make_move_iterator(stack_.end()));
  stack_.resize(marks_.back());
  marks_.pop_back();
  return items;
}

void PickleReader::count_container(bool is_dict) {
  container_bytes_ += is_dict ? kBytesOfDict : kBytesOfContainer;
  const std::size_t beyond = bytes_.size() - std::min(bytes_.size(), kLargeFile);
  if (container_bytes_ > kMaxBytes + kBytesPerByte * beyond)
    reject("too many containers for a file of {} bytes", bytes_.size());
}

void PickleReader::push_counted(Value container) {
  count_container(container.is_dict() || container.kind() == Value::Kind::opaque ||
                  container.kind() == Value::Kind::global);
  push(std::move(container));
}

void PickleReader::track_shared(const Value& v) {
  const void* const id = identity(v);
  if (id && (shared_.empty() || identity(shared_.back()) != id)) shared_.push_back(v);
}

Value PickleReader::long_integer(std::string_view s) const {
  if (s.empty()) return 0;
  if (s.size() > kMaxDigits) reject("integer too long: {} bytes", s.size());
  if (s.size() <= 8) {
    std::uint64_t v = static_cast<unsigned char>(s.back()) & 0x80 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = s.size(); i-- > 0;) v = v << 8 | static_cast<unsigned char>(s[i]);
    return static_cast<std::int64_t>(v);
  }
  return Value::big_integer(decimal(s));
}

void PickleReader::append(const Value& to, Values items) {
  if (to.kind() == Value::Kind::opaque) {
    for (Value& v : items) to.as_opaque().items.push_back(std::move(v));
  } else if (to.is_list()) {
    Values& list = to.as_list();
    for (Value& v : items) list.push_back(std::move(v));
  } else {
    reject("cannot append items to a value of type {}", to.type_name());
  }
}

void PickleReader::set_items(const Value& to, Values pairs) {
  if (pairs.size() % 2) reject("a key has no value");
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (to.kind() == Value::Kind::opaque)
      to.as_opaque().entries.emplace_back(std::move(pairs[i]), std::move(pairs[i + 1]));
    else if (to.is_dict() && is_bounded_key(pairs[i]))
      to.as_dict().set(std::move(pairs[i]), std::move(pairs[i + 1]));
    else if (to.is_dict())
      reject("a key is too large");
    else
      reject("cannot set entries of a value of type {}", to.type_name());
  }
}

void PickleReader::build(const Value& object, const Value& state) {
  if (object.kind() == Value::Kind::opaque) {
    object.as_opaque().state = state;
  } else if (object.is_dict() && !object.as_dict().class_name().empty() && state.is_dict()) {
    for (const auto& [k, v] : state.as_dict()) {
      if (!k.is_string()) reject("invalid attribute name: expected a string");
      object.as_dict().set_attribute(k.as_string(), v);
    }
  } else {
    reject("cannot set the state of a value of type {}", object.type_name());
  }
}

Value PickleReader::set_of(const Values& items) const {
  for (const Value& item : items)
    if (!is_bounded_key(item)) reject("an item of a set is too large");
  return Value::set(items);
}

void PickleReader::add(Values items) {
  Value& old = top();
  if (!old.is_set()) reject("cannot add items to a value of type {}", old.type_name());
  // Each batch copies the set, so that many small batches would take quadratic time.
  constexpr std::size_t kMaxCopies = 1u << 26;
  if ((copied_set_items_ += old.size() + items.size()) > kMaxCopies)
    reject("sets are filled in too many small batches");
  Values all(old.as_sequence());
  all.insert(all.end(), items.begin(), items.end());
  Value grown = set_of(all);
  if (const auto kept = memo_index_of_set_.find(identity(old)); kept != memo_index_of_set_.end()) {
    const std::uint64_t index = kept->second;
    memo_index_of_set_.erase(kept);
    memo_index_of_set_.emplace(identity(grown), index);
    memo_.put(index, grown);
  }
  old = std::move(grown);
}

void PickleReader::step_number(unsigned char op) {
  switch (op) {
    case 'K': return push(static_cast<std::int64_t>(read_uint<1>()));
    case 'M': return push(static_cast<std::int64_t>(read_uint<2>()));
    case 'J': return push(static_cast<std::int64_t>(static_cast<std::int32_t>(read_uint<4>())));
    case 0x8a: return push(long_integer(read_bytes(read_uint<1>())));
    case 0x8b: {
      const auto n = static_cast<std::int32_t>(read_uint<4>());
      if (n < 0) reject("negative length of an integer");
      return push(long_integer(read_bytes(static_cast<std::uint64_t>(n))));
    }
    default: {  // 'G'
      std::uint64_t bits = 0;
      for (char c : read_bytes(8)) bits = bits << 8 | static_cast<unsigned char>(c);
      return push(std::bit_cast<double>(bits));
    }
  }
}

void PickleReader::step_text(unsigned char op) {
  switch (op) {
    case 'X':
    case 'T': return push(text(read_uint<4>()));
    case 'U':
    case 0x8c: return push(text(read_uint<1>()));
    case 0x8d: return push(text(read_uint<8>()));
    case 'C': return push(Value::bytes(read_bytes(read_uint<1>())));
    case 'B': return push(Value::bytes(read_bytes(read_uint<4>())));
    case 0x8e: return push(Value::bytes(read_bytes(read_uint<8>())));
    case 0x96: {
      Value bytes = Value::bytes(read_bytes(read_uint<8>()));
      const Value cls = Value::global("builtins", "bytearray");
      return push(resolver_.call(cls, Value::tuple({std::move(bytes)})));
    }
    case 'c': {
      const std::string_view module = line(), name = line();
      if (!is_utf8(module) || !is_utf8(name)) reject("invalid UTF-8 in the name of a global");
      return push(resolver_.global(module, name));
    }
    default: {  // 0x93
      const Value name = pop(), module = pop();
      if (!name.is_string() || !module.is_string())
        reject("invalid name of a global: expected a string");
      return push(resolver_.global(module.as_string(), name.as_string()));
    }
  }
}

void PickleReader::step_container(unsigned char op) {
  switch (op) {
    case '}': count_container(true); return push(Value::dict());
    case ']': count_container(); return push(Value::list());
    case ')': return push(empty_tuple_);  // shared, because it is never modified
    case 0x8f: count_container(); return push(Value::set());
    case 't': return push(Value::tuple(pop_to_mark()));
    case 'l': return push(Value::list(pop_to_mark()));
    case 'd': {
      Values pairs = pop_to_mark();
      count_container(true);
      Value d = Value::dict();
      set_items(d, std::move(pairs));
      return push(std::move(d));
    }
    case 0x85: {
      count_container();
      Values one;
      one.push_back(pop());
      return push(Value::tuple(std::move(one)));
    }
    case 0x86:
    case 0x87: {
      count_container();
      Values some(op == 0x86 ? 2 : 3);
      for (std::size_t i = some.size(); i-- > 0;) some[i] = pop();
      return push(Value::tuple(std::move(some)));
    }
    case 'a': {
      Values one;
      one.push_back(pop());
      return append(top(), std::move(one));
    }
    case 'e': {
      Values items = pop_to_mark();
      return append(top(), std::move(items));
    }
    case 0x90: {
      Values items = pop_to_mark();
      return add(std::move(items));
    }
    case 0x91: {
      count_container();
      Values items = pop_to_mark();
      const Value cls = Value::global("builtins", "frozenset");
      return push_counted(resolver_.call(cls, Value::tuple({Value::list(std::move(items))})));
    }
    case 's': {
      Values pair(2);
      pair[1] = pop(), pair[0] = pop();
      return set_items(top(), std::move(pair));
    }
    default: {  // 'u'
      Values pairs = pop_to_mark();
      return set_items(top(), std::move(pairs));
    }
  }
}

void PickleReader::reject_missing(std::uint64_t index) const {
  reject("memo entry {} was never created", index);
}

void PickleReader::execute_memo(unsigned char op) {
  const auto get = [&](std::uint64_t i) {
    const Value* const found = memo_.get(i);
    if (!found) reject_missing(i);
    push(*found);
  };
  const auto put = [&](std::uint64_t i) {
    memo_.put(i, top());
    if (!memo_.will_be_used(i)) return;
    track_shared(top());
    if (top().is_set()) memo_index_of_set_[identity(top())] = i;
  };
  switch (op) {
    case 'q': put(read_uint<1>()); break;
    case 'r': put(read_uint<4>()); break;
    case 'h': get(read_uint<1>()); break;
    case 'j': get(read_uint<4>()); break;
    default: put(memo_.size()); break;  // 0x94
  }
}

void PickleReader::step(unsigned char op) {
  switch (op) {
    case 0x80: {
      const std::uint64_t protocol = read_uint<1>();
      if (protocol > 5) reject("pickle protocol {} does not exist", protocol);
      return;
    }
    case 0x95: return start_frame();
    case '(': marks_.push_back(stack_.size()); return;
    case '0': {
      if (!marks_.empty() && marks_.back() == stack_.size())
        marks_.pop_back();
      else
        (void)pop();
      return;
    }
    case '1': pop_to_mark(); return;
    case '2': {
      Value copy = top();
      track_shared(copy);
      return push(std::move(copy));
    }
    case 'N': return push(Value());
    case 0x88: return push(true);
    case 0x89: return push(false);
    case 'K':
    case 'M':
    case 'J':
    case 0x8a:
    case 0x8b:
    case 'G': return step_number(op);
    case 'X':
    case 0x8c:
    case 0x8d:
    case 'U':
    case 'T':
    case 'C':
    case 'B':
    case 0x8e:
    case 0x96:
    case 'c':
    case 0x93: return step_text(op);
    case '}':
    case ']':
    case ')':
    case 0x8f:
    case 't':
    case 'l':
    case 'd':
    case 0x85:
    case 0x86:
    case 0x87:
    case 'a':
    case 'e':
    case 0x90:
    case 0x91:
    case 's':
    case 'u': return step_container(op);
    case 'q':
    case 'r':
    case 'h':
    case 'j':
    case 0x94: return execute_memo(op);
    case 'R': {
      const Value arguments = pop(), callable = pop();
      return push_counted(resolver_.call(callable, arguments));
    }
    case 0x81: {
      const Value arguments = pop(), cls = pop();
      return push_counted(resolver_.make(cls, arguments));
    }
    case 0x92: {
      const Value keywords = pop(), arguments = pop(), cls = pop();
      Value object = resolver_.make(cls, arguments);
      if (keywords.is_dict() && keywords.size() == 0) return push_counted(std::move(object));
      reject("an object of {} is created with keyword arguments", cls.repr().substr(0, 100));
    }
    case 'b': {
      const Value state = pop();
      return build(top(), state);
    }
    case 'Q': {
      const Value id = pop();
      return push(persistent_(id));
    }
    case 'i': {
      const std::string_view module = line(), name = line();
      reject("the file creates {} by INST, which checkpoints do not use",
             resolver_.global(module, name).repr());
    }
    default: reject("operation {} is not used by checkpoints", name_of_operation(op));
  }
}

/// Breaks all cycles, including those unreachable from the result, which would leak. Rejects the
/// pickle if a cycle cannot be broken.
void PickleReader::break_all_cycles(const Value& result) {
  Values all = {result};
  all.insert(all.end(), shared_.begin(), shared_.end());
  const bool open = break_cycles(Value::list(std::move(all)), [this] {
    count_container(true);
    count_container();
  });
  if (!open) reject("a value contains itself");
}

Value PickleReader::read() {
  try {
    for (;;) {
      const auto op = static_cast<unsigned char>(read_bytes(1)[0]);
      if (op == '.') break;
      step(op);
    }
    Value result = pop();
    // Without shared containers, the value is a tree and not larger than its pickle.
    if (!shared_.empty()) break_all_cycles(result);
    const double size = shared_.empty() ? 0 : expanded_size(result);
    if (size > kMaxExpandedItems + 64.0 * static_cast<double>(bytes_.size()))
      reject("shared values expand to too many items");
    finished_ = true;
    return result;
  } catch (const IoError&) {
    throw;
  } catch (const Error& e) {  // such as an unhashable key or a number out of range
    reject("{}", e.what());
  }
}

}  // namespace taper::io
