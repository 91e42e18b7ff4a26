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
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  NpyHeader read() {
    NpyHeader h;
    bool descr = false, fortran = false, shape = false;
    expect('{');
    while (!take('}')) {
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
        reject("unexpected or duplicate key '{}'", shown(key));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (at_ != text_.size()) reject("trailing data after the dict");
    if (!descr || !fortran || !shape)
      reject("missing key: expected descr, fortran_order and shape");
    return h;
  }

 private:
  template <class... A>
  [[noreturn]] void reject(fmt::format_string<FormatArg<A>...> form, const A&... args) const {
    fail<ValueError>("invalid NumPy array header: {} (character {})", format_message(form, args...),
                     at_);
  }
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool take(char c) {
    skip();
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there;
    return there;
  }
  void expect(char c) {
    if (!take(c)) reject("expected '{}'", c);
  }
  std::string string() {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    if (quote != '\'' && quote != '"') reject("expected a string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) reject("unterminated string");
    std::string s(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return s;
  }
  bool flag() {
    skip();
    for (const bool value : {true, false}) {
      const std::string_view word = bool_text(value);
      if (text_.substr(at_).starts_with(word)) return at_ += word.size(), value;
    }
    reject("invalid fortran_order: expected True or False");
  }
  void type(NpyHeader& h) {
    skip();
    if (at_ < text_.size() && text_[at_] == '[') {  // a structured dtype, stored as its text
      const std::size_t begin = at_;
      int depth = 0;
      do {
        if (at_ == text_.size()) reject("unterminated structured dtype");
        depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
        ++at_;
      } while (depth > 0);
      h.type = text_.substr(begin, at_ - begin);
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
    while (!take(')')) {
      skip();
      std::int64_t n = -1;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
      if (error != std::errc{} || n < 0) reject("invalid size: expected a non-negative integer");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long integer of Python 2
      if (shape.size() == kMaxDimensions) reject("the array has more than 64 dimensions");
      shape.push_back(n);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> bytes) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!all.starts_with(kMagic) || all.size() < 10)
    fail<ValueError>("not a NumPy array file: bad magic number");
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
  NpyHeader header = Literal(all.substr(begin, size)).read();
  header.data = begin + size;
  return header;
}

}  // namespace taper::io
