#include "io/pickle/operations.h"

#include <array>
#include <cstring>

namespace taper::io {
namespace {

// Forms of an operation's argument. A value up to 8 is its number of bytes; kLength | n is a length
// field of n bytes, followed by the data; kLine and kTwoLines are one and two lines of text.
constexpr unsigned char kNone = 0xff;  // form of an unknown operation
constexpr unsigned char kLength = 0x10, kLine = 0x20, kTwoLines = 0x21;

constexpr std::array<unsigned char, 256> forms() {
  std::array<unsigned char, 256> f{};
  f.fill(kNone);
  for (const char op : {'(', '.', '0', '1', '2', 'N', 'Q', 'R', 'b', ']',
                        'a', 'e', 'l', '}', 'd', 's', 'u', ')', 't', 'o'})
    f[static_cast<unsigned char>(op)] = 0;
  for (const int op :
       {0x81, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x94, 0x97, 0x98})
    f[static_cast<unsigned char>(op)] = 0;
  f[0x80] = f['K'] = f['q'] = f['h'] = f[0x82] = 1;
  f['M'] = f[0x83] = 2;
  f['J'] = f['r'] = f['j'] = f[0x84] = 4;
  f['G'] = f[0x95] = 8;
  f[0x8a] = f['U'] = f['C'] = f[0x8c] = kLength | 1;
  f[0x8b] = f['T'] = f['X'] = f['B'] = kLength | 4;
  f[0x8d] = f[0x8e] = f[0x96] = kLength | 8;
  for (const char op : {'I', 'L', 'F', 'S', 'V', 'g', 'p', 'P'})
    f[static_cast<unsigned char>(op)] = kLine;
  f['c'] = f['i'] = kTwoLines;
  return f;
}
constexpr std::array<unsigned char, 256> kForms = forms();

std::uint64_t read_little_endian(std::string_view bytes) {
  std::uint64_t v = 0;
  // A copy of constant size compiles to a single load.
  if (bytes.size() == 1) return static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 4)
    std::memcpy(&v, bytes.data(), 4);
  else
    std::memcpy(&v, bytes.data(), bytes.size());
  return v;
}

}  // namespace

bool is_pickle_operation(std::byte code) {
  return kForms[static_cast<unsigned char>(code)] != kNone;
}

std::uint64_t PickleOperation::number() const { return read_little_endian(argument.substr(0, 8)); }

PickleOperation pickle_operation(std::span<const std::byte> bytes, std::size_t at) {
  if (at >= bytes.size()) return {};
  const auto code = static_cast<unsigned char>(bytes[at]);
  const unsigned char form = kForms[code];
  const std::string_view rest(reinterpret_cast<const char*>(bytes.data()) + at + 1,
                              bytes.size() - at - 1);
  if (form <= 8) {
    if (rest.size() < form) return {};
    return {code, rest.substr(0, form), at + 1 + form};
  }
  if (form == kNone) return {};
  if (form == kLine || form == kTwoLines) {
    std::size_t end = rest.find('\n');
    if (form == kTwoLines && end != rest.npos) end = rest.find('\n', end + 1);
    if (end == rest.npos) return {};
    return {code, rest.substr(0, end), at + 2 + end};
  }
  const std::size_t width = form & 0xf;
  if (rest.size() < width) return {};
  const std::uint64_t size = read_little_endian(rest.substr(0, width));
  if (size > rest.size() - width) return {};
  return {code, rest.substr(width, size), at + 1 + width + size};
}

MemoUse::MemoUse(std::span<const std::byte> bytes, std::size_t begin) {
  for (std::size_t at = begin;;) {
    const PickleOperation op = pickle_operation(bytes, at);
    // Creating an entry takes at least one byte, so that an index beyond the size is invalid.
    const std::uint64_t index = op.code == 'h' || op.code == 'j' ? op.number() : 0;
    if (op.code == 0 || op.code == 'g' || index > bytes.size()) {
      all_ = true;
      return;
    }
    if (op.code == '.') return;
    if (op.code == 'h' || op.code == 'j') {
      if (index >= used_.size()) used_.resize(index + 1);
      used_[index] = true;
    }
    at = op.end;
  }
}

}  // namespace taper::io
