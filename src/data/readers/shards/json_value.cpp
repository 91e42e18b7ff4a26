#include "data/readers/shards/json_value.h"

#include <charconv>
#include <limits>

#include "core/check.h"
#include "data/readers/decimal.h"
#include "io/text.h"

namespace taper::data {
namespace {

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Value parse() {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    if (!io::is_utf8(text_)) taper::fail<ValueError>("JSON: invalid UTF-8");
    Value value = parse_value();
    skip_blanks();
    if (at_ < text_.size()) reject("the end");
    return value;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }
  bool accept(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  [[noreturn]] void reject(const char* expected) const {
    if (at_ >= text_.size())
      taper::fail<ValueError>("JSON: the text ends at byte {}, expected {}", at_, expected);
    const io::Character c = io::first_character(text_.substr(at_));
    taper::fail<ValueError>("JSON: got '{}' at byte {}, expected {}",
                            io::escape_for_message(text_.substr(at_, c.bytes)), at_, expected);
  }

  Value parse_value() {
    skip_blanks();
    switch (peek()) {
      case '{': return parse_object();
      case '[': return parse_array();
      case '"': return parse_string();
      default: break;
    }
    if (accept("null")) return {};
    if (accept("true")) return true;
    if (accept("false")) return false;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (accept("NaN")) return std::numeric_limits<double>::quiet_NaN();
    if (accept("Infinity")) return kInfinity;
    if (accept("-Infinity")) return -kInfinity;
    return parse_number();
  }

  Value parse_object() {
    enter();
    Value dict = Value::dict();
    for (++at_, skip_blanks(); !accept("}");) {
      if (peek() != '"') reject("a key in quotes");
      std::string key = parse_string();
      skip_blanks();
      if (!accept(":")) reject("':'");
      dict.as_dict().set(key, parse_value());
      skip_blanks();
      if (accept("}")) break;
      if (!accept(",")) reject("',' or '}'");
      skip_blanks();
      if (peek() == '}') reject("a key in quotes");
    }
    --depth_;
    return dict;
  }

  Value parse_array() {
    enter();
    Values items;
    for (++at_, skip_blanks(); !accept("]");) {
      items.push_back(parse_value());
      skip_blanks();
      if (accept("]")) break;
      if (!accept(",")) reject("',' or ']'");
      skip_blanks();
      if (peek() == ']') reject("a value");
    }
    --depth_;
    return Value::list(std::move(items));
  }

  void enter() {
    constexpr int kMaxDepth = 1000;
    if (++depth_ > kMaxDepth)
      taper::fail<ValueError>("JSON: nested deeper than {} levels at byte {}", kMaxDepth, at_);
  }

  std::string parse_string() {
    std::string out;
    for (++at_; peek() != '"';) {
      if (at_ >= text_.size() || static_cast<unsigned char>(peek()) < 0x20)
        reject("a character of a string or '\"'");
      if (peek() == '\\')
        parse_escape(out);
      else
        out += text_[at_++];
    }
    ++at_;
    return out;
  }

  void parse_escape(std::string& out) {
    ++at_;
    constexpr std::string_view kNames = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = kNames.find(peek()); i != kNames.npos && at_ < text_.size()) {
      out += kCharacters[i];
      ++at_;
      return;
    }
    if (!accept("u")) reject("an escape sequence");
    unsigned code = parse_hex();
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
      const std::size_t before = at_;
      at_ += 2;
      const unsigned low = parse_hex();
      if (low >= 0xdc00 && low < 0xe000)
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      else
        at_ = before;
    }
    append_utf8(code, out);
  }

  unsigned parse_hex() {
    unsigned code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || error != std::errc{} || end != digits.data() + 4)
      reject("four hexadecimal digits");
    at_ += 4;
    return code;
  }

  /// Appends a character; a lone surrogate as its three bytes, as in strings from Python.
  static void append_utf8(unsigned code, std::string& out) {
    const auto rest = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xc0 | code >> 6);
      rest(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xe0 | code >> 12);
      rest(6), rest(0);
    } else {
      out += static_cast<char>(0xf0 | code >> 18);
      rest(12), rest(6), rest(0);
    }
  }

  bool skip_digits() {
    const std::size_t before = at_;
    while (is_digit(peek())) ++at_;
    return at_ > before;
  }

  Value parse_number() {
    const std::size_t begin = at_;
    accept("-");
    const std::size_t first = at_;
    if (peek() == '0')
      ++at_;
    else if (!skip_digits())
      reject("a value");
    bool is_integer = true;
    if (peek() == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])) {
      is_integer = false;
      ++at_;
      skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t before = at_++;
      if (peek() == '+' || peek() == '-') ++at_;
      if (skip_digits())
        is_integer = false;
      else
        at_ = before;
    }
    const std::string_view number = text_.substr(begin, at_ - begin);
    if (is_integer) {
      constexpr std::size_t kMaxDigits = 4300;  // the limit of Python
      if (at_ - first > kMaxDigits)
        taper::fail<ValueError>("JSON: integer of {} digits at byte {}, at most {} are read",
                                at_ - first, begin, kMaxDigits);
      return Value::big_integer(number);
    }
    return parse_double(number.data(), number.data() + number.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Value parse_json(std::string_view text) { return JsonParser(text).parse(); }

}  // namespace taper::data
