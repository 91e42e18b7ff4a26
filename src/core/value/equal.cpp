// Equality and hashes of values.
#include <cmath>
#include <cstring>
#include <random>

#include "core/check.h"
#include "core/value/payload.h"

namespace taper {
namespace value {

void throw_too_deep(const char* doing) {
  fail<RuntimeError>("value: maximum recursion depth exceeded while {}", doing);
}

namespace {

__extension__ using UInt128 = unsigned __int128;

inline std::size_t mix(std::uint64_t x) {
  x ^= hash_secret();
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

template <class Word> std::uint64_t load_word(const char* p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}
/// Returns up to eight bytes as a number. The caller includes the length in the hash.
std::uint64_t last_word(const char* p, std::size_t n) {
  if (n >= 4) return load_word<std::uint32_t>(p) | load_word<std::uint32_t>(p + n - 4) << 32;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < n; ++i) word = word << 8 | static_cast<unsigned char>(p[i]);
  return word;
}

}  // namespace

std::uint64_t hash_secret() {
  static const std::uint64_t secret = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32 | device()) | 1;
  }();
  return secret;
}

std::size_t hash_string(std::string_view text) {
  const std::uint64_t secret = hash_secret();
  std::uint64_t h = 0x9e3779b97f4a7c15u ^ text.size();
  // Combines both halves of the product, so that a change of the highest bit affects all bits.
  const auto mix_in = [&h, secret](std::uint64_t word) {
    const UInt128 product =
        static_cast<UInt128>(h ^ word ^ secret) * (secret ^ 0xff51afd7ed558cccu);
    h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const char* p = text.data();
  std::size_t left = text.size();
  for (; left > 8; p += 8, left -= 8) mix_in(load_word<std::uint64_t>(p));
  mix_in(last_word(p, left));
  return mix(h);
}

namespace {

std::size_t hash_number(double v) {
  if (std::trunc(v) == v && v >= -0x1p63 && v < 0x1p63)
    return mix(static_cast<std::uint64_t>(static_cast<std::int64_t>(v)));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return mix(bits);
}

// Leaves are hashed and compared in functions that are not inlined, which keeps the stack frames of
// the recursive functions small: one frame exists per level of nesting.

[[gnu::noinline]] std::size_t hash_leaf(const Value& v) {
  using K = Value::Kind;
  switch (v.kind()) {
    case K::none: return mix(0x6e6f6e65);
    case K::boolean:
    case K::integer: return mix(static_cast<std::uint64_t>(v.as_int()));
    case K::floating: return hash_number(v.as_double());
    case K::complex: {
      const Complex c = v.as_complex();
      return c.imag == 0 ? hash_number(c.real) : hash_number(c.real) * 31 + hash_number(c.imag);
    }
    case K::big_integer:
    case K::string: return hash_string(v.as_string());
    case K::bytes: return hash_string(v.as_bytes()) + 1;
    case K::tensor: return mix(reinterpret_cast<std::uintptr_t>(v.as_tensor().impl()));
    case K::size: {
      std::size_t h = mix(0x73697a65);
      for (std::int64_t n : v.as_size()) h = mix(h) + mix(static_cast<std::uint64_t>(n));
      return h;
    }
    case K::dtype: return mix(static_cast<std::uint64_t>(v.as_dtype()) + 0x64747970);
    case K::device: {
      const Device d = v.as_device();
      return mix(static_cast<std::uint64_t>(d.kind() * 65536 + d.index()) + 0x64657669);
    }
    case K::global:
      return hash_string(v.as_global().first) * 31 + hash_string(v.as_global().second);
    case K::module: return mix(reinterpret_cast<std::uintptr_t>(v.as_module().identity()));
    case K::opaque: return mix(reinterpret_cast<std::uintptr_t>(&v.as_opaque()));
    case K::tuple:
    case K::list:
    case K::set:
    case K::dict:
    case K::missing: break;
  }
  fail<TypeError>("unhashable type: '{}'", v.type_name());
}

std::size_t hash_nested(const Value& v, int depth) {
  if (depth > kMaxDepth) throw_too_deep("hashing");
  if (!v.is_tuple()) return hash_leaf(v);
  std::size_t h = mix(0x7475706c);
  for (const Value& item : v.as_tuple()) h = mix(h) + hash_nested(item, depth + 1);
  return h;
}

bool is_number(const Value& v) {
  return v.is_bool() || v.is_int() || v.is_float() || v.kind() == Value::Kind::complex;
}

[[gnu::noinline]] bool equal_numbers(const Value& a, const Value& b) {
  if ((a.is_int() || a.is_bool()) && (b.is_int() || b.is_bool())) return a.as_int() == b.as_int();
  if (a.is_float() && b.is_float()) return a.as_double() == b.as_double();
  if (a.kind() == Value::Kind::complex || b.kind() == Value::Kind::complex)
    return a.as_complex() == b.as_complex();
  const double f = a.is_float() ? a.as_double() : b.as_double();
  const std::int64_t i = a.is_float() ? b.as_int() : a.as_int();
  return std::trunc(f) == f && f >= -0x1p63 && f < 0x1p63 && static_cast<std::int64_t>(f) == i;
}

bool equal_nested(const Value& a, const Value& b, int depth);

bool equal_dicts(const Dict& a, const Dict& b, int depth) {
  if (a.size() != b.size()) return false;
  const bool ordered =
      a.class_name() == "collections.OrderedDict" && b.class_name() == a.class_name();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& [key, v] = a.entries()[i];
    if (ordered && !(b.entries()[i].first == key)) return false;
    const Value* other = b.find(key);
    if (!other || !equal_nested(v, *other, depth)) return false;
  }
  return true;
}

[[gnu::noinline]] bool equal_leaves(const Value& a, const Value& b) {
  using K = Value::Kind;
  switch (a.kind()) {
    case K::none: return true;
    case K::big_integer:
    case K::string: return a.as_string() == b.as_string();
    case K::bytes: return a.as_bytes() == b.as_bytes();
    case K::tensor: return a.as_tensor().is_same(b.as_tensor());
    case K::set: {
      if (a.size() != b.size()) return false;
      for (const Value& item : a.as_sequence())
        if (!b.contains(item)) return false;
      return true;
    }
    case K::size: return a.as_size() == b.as_size();
    case K::dtype: return a.as_dtype() == b.as_dtype();
    case K::device: return a.as_device() == b.as_device();
    case K::global: return a.as_global() == b.as_global();
    case K::module: return a.as_module().identity() == b.as_module().identity();
    case K::opaque: return &a.as_opaque() == &b.as_opaque();
    default: return false;
  }
}

bool equal_nested(const Value& a, const Value& b, int depth) {
  if (depth > kMaxDepth) throw_too_deep("comparing");
  if (is_number(a) && is_number(b)) return equal_numbers(a, b);
  if (a.kind() != b.kind()) return false;
  if (a.is_dict())
    return &a.as_dict() == &b.as_dict() || equal_dicts(a.as_dict(), b.as_dict(), depth + 1);
  if (!a.is_list() && !a.is_tuple()) return equal_leaves(a, b);
  const Values &x = a.as_sequence(), &y = b.as_sequence();
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!equal_nested(x[i], y[i], depth + 1)) return false;
  return true;
}

}  // namespace
}  // namespace value

std::size_t Value::hash() const { return value::hash_nested(*this, 0); }
bool Value::equals(const Value& other) const { return value::equal_nested(*this, other, 0); }

}  // namespace taper
