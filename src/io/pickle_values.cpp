#include "io/pickle_values.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/text.h"

namespace taper::io {
namespace {

/// Calls each(value) for what `v` holds itself.
template <class Each> void for_children(const Value& v, const Each& each) {
  const auto entries = [&](const auto& list) {
    for (const auto& [k, x] : list) each(k), each(x);
  };
  switch (v.kind()) {
    case Value::Kind::list:
    case Value::Kind::tuple:
    case Value::Kind::set:
      for (const Value& x : v.as_sequence()) each(x);
      break;
    case Value::Kind::dict:
      entries(v.as_dict());
      each(v.as_dict().attributes());
      break;
    case Value::Kind::opaque: {
      const Opaque& o = v.as_opaque();
      each(o.callable), each(o.arguments), each(o.state);
      for (const Value& x : o.items) each(x);
      entries(o.entries);
      break;
    }
    default: break;
  }
}

}  // namespace

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

double size_as_tree(const Value& root) {
  // Depth first with an explicit stack; what is shared is walked once.
  std::unordered_map<const void*, double> done;
  std::unordered_set<const void*> open;
  struct Frame {
    Value value;
    std::vector<Value> children;
    std::size_t next = 0;
    double size = 1;
  };
  std::vector<Frame> path;
  const auto enter = [&](const Value& v) {
    if (!open.insert(identity(v)).second) return false;
    Frame f{v, {}};
    for_children(v, [&f](const Value& x) {
      if (identity(x))
        f.children.push_back(x);
      else
        f.size += 1;
    });
    path.push_back(std::move(f));
    return true;
  };
  if (!identity(root)) return 1;
  enter(root);
  for (;;) {
    Frame& f = path.back();
    if (f.next < f.children.size()) {
      const Value child = f.children[f.next];
      const auto known = done.find(identity(child));
      if (known == done.end()) {
        if (!enter(child)) return std::numeric_limits<double>::infinity();
        continue;  // counted when it is done
      }
      f.size += known->second;
      ++f.next;
      continue;
    }
    const double size = std::min(f.size, std::numeric_limits<double>::max());
    open.erase(identity(f.value));
    done.emplace(identity(f.value), size);
    path.pop_back();
    if (path.empty()) return size;
  }
}

bool is_bounded_key(const Value& key) {
  constexpr std::size_t kMost = 10'000;
  if (!key.is_tuple()) return true;
  std::vector<Value> todo{key};
  for (std::size_t seen = 0; !todo.empty(); ++seen) {
    if (seen > kMost || todo.size() > kMost) return false;
    const Value v = std::move(todo.back());
    todo.pop_back();
    if (v.is_tuple()) todo.insert(todo.end(), v.as_tuple().begin(), v.as_tuple().end());
  }
  return true;
}

std::string place(std::span<const Value> stack, std::span<const std::size_t> marks) {
  std::string path;
  const auto key = [&](const Value& k) {
    if (path.size() > 300) return;
    if (k.is_string())
      path += "['" + shown(k.as_string()) + "']";
    else if (k.is_int())
      path += '[' + std::to_string(k.as_int()) + ']';
  };
  const auto holds_entries = [](const Value& v) { return v.is_dict(); };
  // The parts between marks. After a dict and a mark come its keys and values in turn, and perhaps
  // what the last value will be called with; `dict key` without a mark is a dict of one entry.
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
