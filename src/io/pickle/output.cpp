#include "io/pickle/output.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

#include "core/check.h"
#include "io/pickle/globals/class_name.h"
#include "io/text.h"

namespace taper::io {
namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kProtocol = "\x80\x02";

void append(std::string& out, std::uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(v >> (8 * i) & 0xff);
}

void append_get(std::string& out, char small, char large, std::uint32_t index) {
  const bool fits = index < 256;
  out += fits ? small : large;
  append(out, index, fits ? 1 : 4);
}

/// Returns the shortest little-endian two's complement encoding of a decimal number.
std::string two_complement(std::string_view decimal) {
  const bool negative = decimal.starts_with('-');
  std::vector<std::uint32_t> limbs;  // the magnitude in base 2^32
  constexpr std::size_t kDigits = 9;
  for (std::size_t at = negative; at < decimal.size();) {
    const std::size_t n = std::min(kDigits, decimal.size() - at);
    std::uint64_t scale = 1, carry = 0;
    for (std::size_t i = 0; i < n; ++i)
      scale *= 10, carry = carry * 10 + static_cast<std::uint64_t>(decimal[at + i] - '0');
    for (std::uint32_t& limb : limbs) {
      carry += limb * scale;
      limb = static_cast<std::uint32_t>(carry), carry >>= 32;
    }
    if (carry) limbs.push_back(static_cast<std::uint32_t>(carry));
    at += n;
  }
  std::string bytes;
  for (const std::uint32_t limb : limbs) append(bytes, limb, 4);
  bytes += '\0';
  if (negative) {
    unsigned carry = 1;
    for (char& c : bytes) {
      carry += ~static_cast<unsigned>(static_cast<unsigned char>(c)) & 0xffu;
      c = static_cast<char>(carry & 0xff), carry >>= 8;
    }
  }
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(bytes[bytes.size() - i]);
  };
  while (bytes.size() > 1 && byte(1) == (negative ? 0xff : 0) && (byte(2) >= 0x80) == negative)
    bytes.pop_back();
  return bytes;
}

struct Python2Name {
  std::string_view module, name, old_module, old_name;
};
/// Names that protocol 2 spells as in Python 2; an empty name matches any name of the module.
constexpr Python2Name kPython2Names[] = {{"builtins", "range", "__builtin__", "xrange"},
                                         {"builtins", "", "__builtin__", ""},
                                         {"copyreg", "", "copy_reg", ""}};

}  // namespace

void PickleOutput::write_little_endian(std::uint64_t v, int bytes) { append(bytes_, v, bytes); }

void PickleOutput::integer(std::int64_t v) {
  const auto bits = static_cast<std::uint64_t>(v);
  if (v >= 0 && v < 256)
    op('K'), write_little_endian(bits, 1);
  else if (v >= 0 && v < 65536)
    op('M'), write_little_endian(bits, 2);
  else if (v >= INT32_MIN && v <= INT32_MAX)
    op('J'), write_little_endian(bits, 4);
  else
    big_integer(std::to_string(v));
}

void PickleOutput::big_integer(std::string_view decimal) {
  const std::string bytes = two_complement(decimal);
  if (bytes.size() < 256)
    op('\x8a'), write_little_endian(bytes.size(), 1);
  else
    op('\x8b'), write_little_endian(bytes.size(), 4);
  bytes_ += bytes;
}

void PickleOutput::floating(double v) {
  op('G');
  const auto bits = std::bit_cast<std::uint64_t>(v);
  for (int i = 7; i >= 0; --i) bytes_ += static_cast<char>(bits >> (8 * i) & 0xff);
}

void PickleOutput::text_without_memo(std::string_view s) {
  op('X'), write_little_endian(s.size(), 4);
  bytes_ += s;
}

/// Writes a reference to the string or name `s`. Returns false if it was not written before.
bool PickleOutput::try_write_reference(const OpenHashIndex& texts, std::size_t hash,
                                       std::string_view s) {
  const std::uint32_t found = texts.find(hash, [&](std::uint32_t number) {
    const MemoSlot& p = memo_slots_[number];
    return std::string_view(bytes_).substr(p.start, p.position - p.start) == s;
  });
  if (found == OpenHashIndex::kNone) return false;
  write_memo_get(found);
  return true;
}

void PickleOutput::text(std::string_view s) {
  const std::size_t hash = std::hash<std::string_view>()(s);
  if (try_write_reference(texts_, hash, s)) return;
  if (!is_utf8(s, true)) fail<ValueError>("invalid UTF-8 in string '{}'", escape_for_message(s));
  if (s.size() > std::numeric_limits<std::uint32_t>::max())
    fail<ValueError>("string too long: got {} bytes, expected less than 4 GiB", s.size());
  text_without_memo(s);
  texts_.add(hash, add_memo_slot(bytes_.size() - s.size()));
}

/// Writes a name nested in a class as calls of getattr, because protocol 2 does not support names
/// with dots.
void PickleOutput::nested_global(std::string_view module, std::string_view name) {
  for (const char c : name)
    if (c == '.') global("builtins", "getattr");
  std::size_t dot = name.find('.');
  global(module, name.substr(0, dot));
  while (dot != std::string_view::npos) {
    const std::size_t begin = dot + 1;
    dot = name.find('.', begin);
    text(name.substr(begin, dot - begin));
    end_tuple(2);
    op('R');
  }
}

void PickleOutput::global(std::string_view module, std::string_view name) {
  if (is_nested_name(module, name)) return nested_global(module, name);
  for (const Python2Name& r : kPython2Names)
    if (module == r.module && (r.name.empty() || name == r.name)) {
      module = r.old_module;
      if (!r.name.empty()) name = r.old_name;
      break;
    }
  std::string line;
  line.reserve(module.size() + name.size() + 2);
  line.append(module) += '\n';
  line.append(name) += '\n';
  const std::size_t hash = std::hash<std::string_view>()(line);
  if (try_write_reference(globals_, hash, line)) return;
  const bool plain = !module.empty() && !name.empty() && is_utf8(line) &&
                     std::count(line.begin(), line.end(), '\n') == 2;
  if (!plain)
    fail<ValueError>("'{}' of '{}' is not the name of a class or function",
                     escape_for_message(name), escape_for_message(module));
  op('c');
  bytes_ += line;
  globals_.add(hash, add_memo_slot(bytes_.size() - line.size()));
}

void PickleOutput::bytes(std::string_view b) {
  if (b.empty()) {
    global("builtins", "bytes");
    end_tuple(0);
  } else {
    std::string utf8;  // the bytes as characters U+0000 to U+00FF, encoded in UTF-8
    utf8.reserve(b.size() + b.size() / 2);
    for (const char ch : b) {
      const auto c = static_cast<unsigned char>(ch);
      if (c < 0x80)
        utf8 += ch;
      else
        utf8 += static_cast<char>(0xc0 | c >> 6), utf8 += static_cast<char>(0x80 | (c & 0x3f));
    }
    global("_codecs", "encode");
    text(utf8), text("latin1");
    end_tuple(2);
  }
  op('R');
}

void PickleOutput::begin_tuple(std::size_t items) {
  if (items > 3) op('(');
}
void PickleOutput::end_tuple(std::size_t items) {
  op(items == 0 ? ')' : items == 1 ? '\x85' : items == 2 ? '\x86' : items == 3 ? '\x87' : 't');
}
void PickleOutput::discard_tuple_items(std::size_t items) {
  if (items > 3)
    op('1');
  else
    bytes_.append(items, '0');
}

std::uint32_t PickleOutput::find(const void* identity) const {
  return objects_.find(std::hash<const void*>()(identity), [&](std::uint32_t number) {
    return memo_slots_[number].identity == identity;
  });
}

bool PickleOutput::try_write_reference(const void* identity) {
  const std::uint32_t found = find(identity);
  if (found == OpenHashIndex::kNone) return false;
  write_memo_get(found);
  return true;
}

void PickleOutput::memoize(const void* identity) {
  objects_.add(std::hash<const void*>()(identity), add_memo_slot(bytes_.size(), identity));
}

std::uint32_t PickleOutput::add_memo_slot(std::size_t start, const void* identity) {
  memo_slots_.push_back({bytes_.size(), start, identity, kUnused});
  return static_cast<std::uint32_t>(memo_slots_.size() - 1);
}

void PickleOutput::write_memo_get(std::uint32_t number) {
  MemoSlot& memo_slot = memo_slots_[number];
  if (memo_slot.index == kUnused) memo_slot.index = used_++;
  append_get(bytes_, 'h', 'j', memo_slot.index);
}

std::string PickleOutput::finish() {
  std::string out(kProtocol);
  out.reserve(bytes_.size() + 5 * used_ + 3);
  std::size_t done = 0;
  for (const MemoSlot& p : memo_slots_) {
    if (p.index == kUnused) continue;
    out.append(bytes_, done, p.position - done);
    done = p.position;
    append_get(out, 'q', 'r', p.index);
  }
  out.append(bytes_, done);
  out += '.';
  return out;
}

}  // namespace taper::io
