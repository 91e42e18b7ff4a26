#include "io/pickle/values.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "io/value_path.h"

namespace taper::io {
std::string decimal(std::string_view bytes) {
  std::vector<unsigned> limbs;  // the magnitude in base 256
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

const Value* nth_child(const Value& v, std::size_t i) {
  const auto entry = [&i](const std::vector<Dict::Entry>& list) -> const Value* {
    if (i < 2 * list.size()) return i % 2 ? &list[i / 2].second : &list[i / 2].first;
    i -= 2 * list.size();
    return nullptr;
  };
  switch (v.kind()) {
    case Value::Kind::list:
    case Value::Kind::tuple:
    case Value::Kind::set: return i < v.as_sequence().size() ? &v.as_sequence()[i] : nullptr;
    case Value::Kind::dict:
      if (const Value* found = entry(v.as_dict().entries())) return found;
      return i == 0 ? &v.as_dict().attributes() : nullptr;
    case Value::Kind::opaque: {
      const Opaque& o = v.as_opaque();
      if (i < 2) return i == 0 ? &o.callable : &o.arguments;
      i -= 2;
      if (i < o.items.size()) return &o.items[i];
      i -= o.items.size();
      if (const Value* found = entry(o.entries)) return found;
      return i == 0 ? &o.state : nullptr;
    }
    default: return nullptr;
  }
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

double expanded_size(const Value& root) {
  // The walk is depth first with an explicit stack, because nesting is not bounded.
  constexpr double kOpen = -1;
  std::unordered_map<const void*, double> sizes;
  struct Frame {
    const Value* value;
    std::size_t next = 0;
    double size = 1;
  };
  std::vector<Frame> path;
  if (!identity(root)) return 1;
  sizes.emplace(identity(root), kOpen);
  path.push_back({&root});
  for (;;) {
    Frame& f = path.back();
    const Value* const v = nth_child(*f.value, f.next++);
    if (v && !identity(*v)) {
      f.size += 1;
    } else if (v) {
      const auto [known, fresh] = sizes.emplace(identity(*v), kOpen);
      if (fresh)
        path.push_back({v});
      else if (known->second == kOpen)
        return std::numeric_limits<double>::infinity();
      else
        f.size += known->second;
    } else {
      const double size = std::min(f.size, std::numeric_limits<double>::max());
      sizes[identity(*f.value)] = size;
      path.pop_back();
      if (path.empty()) return size;
      path.back().size += size;
    }
  }
}

bool is_bounded_key(const Value& key) {
  constexpr std::size_t kMax = 10'000;
  if (!key.is_tuple()) return true;
  std::vector<Value> todo{key};
  for (std::size_t seen = 0; !todo.empty(); ++seen) {
    if (seen > kMax || todo.size() > kMax) return false;
    const Value v = std::move(todo.back());
    todo.pop_back();
    if (v.is_tuple()) todo.insert(todo.end(), v.as_tuple().begin(), v.as_tuple().end());
  }
  return true;
}

std::string stack_position(std::span<const Value> stack, std::span<const std::size_t> marks) {
  std::string path;
  const auto key = [&](const Value& k) {
    if (path.size() > 300) return;
    if (k.is_string() || k.is_int()) path += key_label(k);
  };
  const auto holds_entries = [](const Value& v) { return v.is_dict(); };
  // Examines the stack sections between marks. A dict and a mark are followed by alternating keys
  // and values, and possibly by arguments of the call that produces the last value. `dict key`
  // without a mark is a dict with one entry.
  for (std::size_t m = 0; m <= marks.size(); ++m) {
    const std::size_t begin = m == 0 ? 0 : marks[m - 1],
                      end = m == marks.size() ? stack.size() : marks[m];
    if (begin >= end) continue;
    std::size_t from = begin;
    if (m > 0 && begin > 0 && holds_entries(stack[begin - 1])) {
      from = begin + ((end - begin - 1) & ~std::size_t{1});
      key(stack[from++]);
    }
    for (; from + 1 < end; ++from)
      if (holds_entries(stack[from]) && stack[from + 1].kind() != Value::Kind::dict)
        key(stack[from + 1]);
  }
  return path;
}

}  // namespace taper::io
