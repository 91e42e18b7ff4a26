#include "io/pickle_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "core/check.h"
#include "io/rebuild.h"

namespace taper::io {
namespace {

constexpr std::size_t kMostDigits = 4096;  // bytes of an integer: nothing real comes near

/// Decimal text of a two's complement little-endian number.
std::string decimal(std::string_view bytes) {
  std::vector<unsigned> limbs;  // base 256, magnitude
  const bool negative = static_cast<unsigned char>(bytes.back()) & 0x80;
  unsigned carry = negative;
  for (char c : bytes) {
    unsigned b = static_cast<unsigned char>(c);
    if (negative) b = (~b & 0xff) + carry, carry = b >> 8, b &= 0xff;
    limbs.push_back(b);
  }
  std::string digits;
  while (!limbs.empty()) {
    unsigned rest = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) {
      const unsigned v = rest << 8 | limbs[i];
      limbs[i] = v / 10, rest = v % 10;
    }
    digits += static_cast<char>('0' + rest);
    while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  }
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

const void* identity(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::list: return &v.as_list();
    case Value::Kind::tuple: return &v.as_tuple();
    case Value::Kind::set: return &v.as_sequence();
    case Value::Kind::dict: return &v.as_dict();
    case Value::Kind::opaque: return &v.as_opaque();
    default: return nullptr;
  }
}

void children_of(const Value& v, std::vector<Value>& out) {
  const auto entries = [&](const auto& list) {
    for (const auto& [k, x] : list) {
      if (identity(k)) out.push_back(k);
      if (identity(x)) out.push_back(x);
    }
  };
  switch (v.kind()) {
    case Value::Kind::list:
    case Value::Kind::tuple:
    case Value::Kind::set:
      for (const Value& x : v.as_sequence())
        if (identity(x)) out.push_back(x);
      break;
    case Value::Kind::dict:
      entries(v.as_dict());
      if (identity(v.as_dict().attributes())) out.push_back(v.as_dict().attributes());
      break;
    case Value::Kind::opaque: {
      const Opaque& o = v.as_opaque();
      for (const Value& x : {o.callable, o.arguments, o.state})
        if (identity(x)) out.push_back(x);
      for (const Value& x : o.items)
        if (identity(x)) out.push_back(x);
      entries(o.entries);
      break;
    }
    default: break;
  }
}

}  // namespace

PickleReader::~PickleReader() {
  if (finished_) return;
  // What was read is thrown away: a cycle among it would never free itself.
  for (const Value& v : containers_) {
    if (v.is_list())
      v.as_list().clear();
    else if (v.is_dict())
      v.as_dict().clear(), v.as_dict().set_class_name("");
    else if (v.kind() == Value::Kind::opaque)
      v.as_opaque() = Opaque{};
  }
}

void PickleReader::refuse(const std::string& what) const {
  fail<IoError>("load: {}: pickle byte {}: {}", path_, at_, what);
}

std::string_view PickleReader::take(std::uint64_t n) {
  if (n > bytes_.size() - at_) refuse("the pickle is cut short");
  const std::string_view s(reinterpret_cast<const char*>(bytes_.data()) + at_, n);
  at_ += n;
  return s;
}

std::uint64_t PickleReader::number(int bytes) {
  const std::string_view s = take(static_cast<std::uint64_t>(bytes));
  std::uint64_t v = 0;
  for (int i = 0; i < bytes; ++i)
    v |= static_cast<std::uint64_t>(static_cast<unsigned char>(s[static_cast<std::size_t>(i)]))
         << (8 * i);
  return v;
}

std::string_view PickleReader::line() {
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                              bytes_.size() - at_);
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) refuse("the pickle is cut short");
  at_ += end + 1;
  return rest.substr(0, end);
}

Value PickleReader::pop() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) refuse("the stack is empty");
  Value v = std::move(stack_.back());
  stack_.pop_back();
  return v;
}
Value& PickleReader::top() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) refuse("the stack is empty");
  return stack_.back();
}
Values PickleReader::pop_to_mark() {
  if (marks_.empty()) refuse("there is no mark on the stack");
  Values items(std::make_move_iterator(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back())),
               std::make_move_iterator(stack_.end()));
  stack_.resize(marks_.back());
  marks_.pop_back();
  return items;
}

Value PickleReader::own(Value container) {
  containers_.push_back(container);
  return container;
}

Value PickleReader::long_integer(std::string_view s) const {
  if (s.empty()) return 0;
  if (s.size() > kMostDigits) refuse("an integer of " + std::to_string(s.size()) + " bytes");
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
    refuse("items are appended to a value of type " + to.type_name());
  }
}

void PickleReader::set_items(const Value& to, Values pairs) {
  if (pairs.size() % 2) refuse("a key has no value");
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (to.kind() == Value::Kind::opaque)
      to.as_opaque().entries.emplace_back(std::move(pairs[i]), std::move(pairs[i + 1]));
    else if (to.is_dict())
      to.as_dict().set(std::move(pairs[i]), std::move(pairs[i + 1]));
    else
      refuse("entries are set in a value of type " + to.type_name());
  }
}

void PickleReader::build(const Value& object, const Value& state) {
  if (object.kind() == Value::Kind::opaque) {
    object.as_opaque().state = state;
  } else if (object.is_dict() && !object.as_dict().class_name().empty() && state.is_dict()) {
    for (const auto& [k, v] : state.as_dict()) {
      if (!k.is_string()) refuse("an attribute's name is no text");
      object.as_dict().set_attribute(k.as_string(), v);
    }
  } else if (object.is_tensor()) {
    // Attributes of a tensor object say nothing about its elements.
  } else {
    refuse("a state is given to a value of type " + object.type_name());
  }
}

void PickleReader::step_number(unsigned char op) {
  switch (op) {
    case 'K': return push(static_cast<std::int64_t>(number(1)));
    case 'M': return push(static_cast<std::int64_t>(number(2)));
    case 'J': return push(static_cast<std::int64_t>(static_cast<std::int32_t>(number(4))));
    case 0x8a: return push(long_integer(take(number(1))));
    case 0x8b: {
      const auto n = static_cast<std::int32_t>(number(4));
      if (n < 0) refuse("an integer of negative length");
      return push(long_integer(take(static_cast<std::uint64_t>(n))));
    }
    default: {  // 'G'
      std::uint64_t bits = 0;
      for (char c : take(8)) bits = bits << 8 | static_cast<unsigned char>(c);
      return push(std::bit_cast<double>(bits));
    }
  }
}

void PickleReader::step_text(unsigned char op) {
  switch (op) {
    case 'X': return push(take(number(4)));
    case 0x8c: return push(take(number(1)));
    case 0x8d: return push(take(number(8)));
    case 'U': return push(take(number(1)));
    case 'T': return push(take(number(4)));
    case 'C': return push(Value::bytes(take(number(1))));
    case 'B': return push(Value::bytes(take(number(4))));
    case 0x96:
    case 0x8e: return push(Value::bytes(take(number(8))));
    case 'c': {
      const std::string_view module = line(), name = line();
      return push(global(module, name));
    }
    default: {  // 0x93
      const Value name = pop(), module = pop();
      if (!name.is_string() || !module.is_string()) refuse("a global's name is no text");
      return push(global(module.as_string(), name.as_string()));
    }
  }
}

void PickleReader::step_container(unsigned char op) {
  switch (op) {
    case '}': return push(own(Value::dict()));
    case ']': return push(own(Value::list()));
    case ')': return push(Value::tuple());
    case 0x8f: return push(own(Value::list()));  // becomes a set when its items are added
    case 't': return push(Value::tuple(pop_to_mark()));
    case 'l': return push(own(Value::list(pop_to_mark())));
    case 'd': {
      Values pairs = pop_to_mark();
      Value d = own(Value::dict());
      set_items(d, std::move(pairs));
      return push(std::move(d));
    }
    case 0x85: {
      Values one;
      one.push_back(pop());
      return push(Value::tuple(std::move(one)));
    }
    case 0x86:
    case 0x87: {
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
      const Values items = pop_to_mark();
      if (!top().is_list() && !top().is_set())
        refuse("items are added to a value of type " + top().type_name());
      Values all(top().as_sequence());
      all.insert(all.end(), items.begin(), items.end());
      top() = Value::set(all);
      return;
    }
    case 0x91: return push(Value::set(pop_to_mark()));
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

void PickleReader::step_memo(unsigned char op) {
  const auto get = [&](std::uint64_t i) {
    const auto found = memo_.find(i);
    if (found == memo_.end()) refuse("memo entry " + std::to_string(i) + " was never made");
    push(found->second);
  };
  switch (op) {
    case 'q': memo_[number(1)] = top(); break;
    case 'r': memo_[number(4)] = top(); break;
    case 'h': get(number(1)); break;
    case 'j': get(number(4)); break;
    default: memo_[memo_.size()] = top(); break;  // 0x94
  }
}

void PickleReader::step(unsigned char op) {
  switch (op) {
    case 0x80: {
      const std::uint64_t protocol = number(1);
      if (protocol > 5) refuse("pickle protocol " + std::to_string(protocol) + " does not exist");
      return;
    }
    case 0x95: number(8); return;  // a frame's length says nothing that the bytes do not
    case '(': marks_.push_back(stack_.size()); return;
    case '0': {
      if (!marks_.empty() && marks_.back() == stack_.size())
        marks_.pop_back();
      else
        pop();
      return;
    }
    case '1': pop_to_mark(); return;
    case '2': {
      Value copy = top();
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
    case 0x94: return step_memo(op);
    case 'R':
    case 0x81: {
      const Value arguments = pop(), callable = pop();
      return push(own(rebuild(callable, arguments, path_)));
    }
    case 0x92: {
      const Value keywords = pop(), arguments = pop(), callable = pop();
      Value object = own(rebuild(callable, arguments, path_));
      if (keywords.is_dict() && keywords.size() == 0) return push(std::move(object));
      refuse("an object is made with keyword arguments");
    }
    case 'b': {
      const Value state = pop();
      return build(top(), state);
    }
    case 'Q': {
      const Value id = pop();
      return push(persistent_(id));
    }
    default: refuse("operation " + std::to_string(op) + " is not of a checkpoint");
  }
}

void PickleReader::check_no_cycles(const Value& root) const {
  // Depth first with an explicit stack; what is shared is walked once.
  std::unordered_set<const void*> done, open;
  struct Frame {
    Value value;
    std::vector<Value> children;
    std::size_t next = 0;
  };
  std::vector<Frame> path;
  const auto enter = [&](const Value& v) {
    const void* id = identity(v);
    if (!id || done.contains(id)) return;
    if (!open.insert(id).second) refuse("a value contains itself");
    path.push_back({v, {}, 0});
    children_of(v, path.back().children);
  };
  enter(root);
  while (!path.empty()) {
    Frame& f = path.back();
    if (f.next < f.children.size()) {
      const Value child = f.children[f.next++];
      enter(child);
      continue;
    }
    open.erase(identity(f.value));
    done.insert(identity(f.value));
    path.pop_back();
  }
}

Value PickleReader::read() {
  try {
    for (;;) {
      const auto op = static_cast<unsigned char>(take(1)[0]);
      if (op == '.') break;
      step(op);
    }
    Value result = pop();
    check_no_cycles(result);
    finished_ = true;
    return result;
  } catch (const IoError&) {
    throw;
  } catch (const Error& e) {  // a key that cannot be hashed, a number that does not fit
    refuse(e.what());
  }
}

}  // namespace taper::io
