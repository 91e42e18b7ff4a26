#include "io/npy/header.h"

#include <charconv>
#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "core/number_text.h"
#include "io/text.h"

namespace taper::io {
namespace {

/// Parser of the Python dict literal in a NumPy header: {'descr': '<f4', 'fortran_order': False,
/// 'shape': (3, 4), }
class NpyHeaderParser {
 public:
  explicit NpyHeaderParser(std::string_view text) : text_(text) {}

  NpyHeader read() {
    NpyHeader h;
    bool descr = false, fortran = false, shape = false;
    expect('{');
    while (!consume('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        type(h);
      } else if (key == "fortran_order" && !fortran) {
        fortran = true;
        h.fortran = flag();
      } else if (key == "shape" && !shape) {
        shape = true;
        sizes(h.shape);
      } else {
        reject("unexpected or duplicate key '{}'", escape_for_message(key));
      }
      if (!consume(',')) {
        expect('}');
        break;
      }
    }
    skip_whitespace();
    if (offset_ != text_.size()) reject("trailing data after the dict");
    if (!descr || !fortran || !shape)
      reject("missing key: expected descr, fortran_order and shape");
    return h;
  }

 private:
  template <class... A>
  [[noreturn]] void reject(fmt::format_string<FormatArg<A>...> form, const A&... args) const {
    fail<ValueError>("invalid NumPy array header: {} (character {})", format_message(form, args...),
                     offset_);
  }
  void skip_whitespace() {
    while (offset_ < text_.size() && std::string_view(" \t\r\n").find(text_[offset_]) != text_.npos)
      ++offset_;
  }
  bool consume(char c) {
    skip_whitespace();
    const bool there = offset_ < text_.size() && text_[offset_] == c;
    offset_ += there;
    return there;
  }
  void expect(char c) {
    if (!consume(c)) reject("expected '{}'", c);
  }
  std::string string() {
    skip_whitespace();
    const char quote = offset_ < text_.size() ? text_[offset_] : ' ';
    if (quote != '\'' && quote != '"') reject("expected a string");
    const std::size_t end = text_.find(quote, offset_ + 1);
    if (end == text_.npos) reject("unterminated string");
    std::string s(text_.substr(offset_ + 1, end - offset_ - 1));
    offset_ = end + 1;
    return s;
  }
  bool flag() {
    skip_whitespace();
    for (const bool value : {true, false}) {
      const std::string_view word = bool_text(value);
      if (text_.substr(offset_).starts_with(word)) return offset_ += word.size(), value;
    }
    reject("invalid fortran_order: expected True or False");
  }
  void type(NpyHeader& h) {
    skip_whitespace();
    if (offset_ < text_.size() &&
        text_[offset_] == '[') {  // a structured dtype, stored as its text
      const std::size_t begin = offset_;
      int depth = 0;
      do {
        if (offset_ == text_.size()) reject("unterminated structured dtype");
        depth += text_[offset_] == '[' ? 1 : text_[offset_] == ']' ? -1 : 0;
        ++offset_;
      } while (depth > 0);
      h.type = text_.substr(begin, offset_ - begin);
      return;
    }
    std::string s = string();
    if (!s.empty() && std::string_view("<>|=").find(s[0]) != std::string_view::npos) {
      h.order = s[0] == '=' ? '<' : s[0];
      s.erase(0, 1);
    }
    if (s.empty()) reject("descr is empty");
    h.type = s;
  }
  void sizes(Shape& shape) {
    constexpr std::size_t kMaxDimensions = 64;
    expect('(');
    while (!consume(')')) {
      skip_whitespace();
      std::int64_t n = -1;
      const auto [end, error] =
          std::from_chars(text_.data() + offset_, text_.data() + text_.size(), n);
      if (error != std::errc{} || n < 0) reject("invalid size: expected a non-negative integer");
      offset_ = static_cast<std::size_t>(end - text_.data());
      if (offset_ < text_.size() && text_[offset_] == 'L') ++offset_;  // a long integer of Python 2
      if (shape.size() == kMaxDimensions) reject("the array has more than 64 dimensions");
      shape.push_back(n);
      if (!consume(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view text_;
  std::size_t offset_ = 0;
};

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> bytes) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!all.starts_with(kMagic)) fail<ValueError>("not a NumPy array file: bad magic number");
  if (all.size() < 10) fail<ValueError>("the header of the NumPy array is truncated");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(bytes[i]); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    fail<ValueError>("unsupported version of the NumPy array format: got {}, expected 1 to 3",
                     version);
  const std::size_t begin = version == 1 ? 10 : 12;
  if (all.size() < begin) fail<ValueError>("the NumPy array header is truncated");
  std::size_t size = byte(8) | byte(9) << 8;
  if (version > 1) size |= byte(10) << 16 | byte(11) << 24;
  if (size > all.size() - begin) fail<ValueError>("the NumPy array header is truncated");
  NpyHeader header = NpyHeaderParser(all.substr(begin, size)).read();
  header.data = begin + size;
  return header;
}

}  // namespace taper::io
