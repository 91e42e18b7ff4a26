#include "literal.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "usage_error.h"
#include "words.h"

namespace taper::cli {

using taper::Value;
using taper::Values;

namespace {

constexpr int kMaxDepth = 64;

class Parser {
 public:
  Parser(std::string_view text, const MakeCall* make) : text_(text), make_(make) {}

  Value parse() {
    Value v = value(true);
    skip_space();
    if (position_ < text_.size()) reject("unexpected text after the expression");
    return v;
  }

 private:
  [[noreturn]] void reject(const std::string& what) const {
    throw UsageError(fmt::format("'{}': syntax error at character {}: {}", printable(text_),
                                 position_ + 1, what));
  }
  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])))
      ++position_;
  }
  bool consume(char c) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  /// Parses a value. If `outermost` is true, a bare name is a call without arguments.
  Value value(bool outermost = false) {
    if (++depth_ > kMaxDepth) reject("nested too deeply");
    skip_space();
    if (position_ >= text_.size()) reject("unexpected end");
    const char c = text_[position_];
    Value v;
    if (c == '\'' || c == '"')
      v = parse_quoted(c);
    else if (c == '(' || c == '[')
      v = parse_sequence();
    else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_')
      v = parse_word(outermost);
    else
      v = parse_number();
    --depth_;
    return v;
  }

  Value parse_quoted(char quote) {
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) reject("unterminated string");
    const std::string_view inside = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return Value(inside);
  }

  Value parse_sequence() {
    const bool list = text_[position_++] == '[';
    const char close = list ? ']' : ')';
    Values items;
    bool comma = false;
    while (!consume(close)) {
      if (!items.empty() && !comma) reject(fmt::format("expected ',' or '{}'", close));
      items.push_back(value());
      comma = consume(',');
    }
    if (list) return Value::list(std::move(items));
    if (items.size() == 1 && !comma) return items[0];  // a parenthesized value
    return Value::tuple(std::move(items));
  }

  std::string name() {
    const std::size_t begin = position_;
    while (position_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position_])) || text_[position_] == '_' ||
            text_[position_] == '.'))
      ++position_;
    return std::string(text_.substr(begin, position_ - begin));
  }

  Value parse_word(bool outermost) {
    const std::size_t begin = position_;
    const std::string identifier = name();
    if (identifier == "True" || identifier == "true") return true;
    if (identifier == "False" || identifier == "false") return false;
    if (identifier == "None" || identifier == "none") return {};
    if (identifier == "inf" || identifier == "nan")
      return identifier == "inf" ? HUGE_VAL : static_cast<double>(NAN);
    if (!make_) return Value(identifier);
    if (!consume('(')) {
      if (outermost) return (*make_)(identifier, {}, {});
      position_ = begin;
      reject("a string requires quotes, a module requires parentheses");
    }
    Values args;
    Value kwargs = Value::dict();
    for (bool comma = true; !consume(')'); comma = consume(',')) {
      if (!comma) reject("expected ',' or ')'");
      parse_argument(args, kwargs);
    }
    return (*make_)(identifier, args, kwargs);
  }

  void parse_argument(Values& args, const Value& kwargs) {
    skip_space();
    const std::size_t begin = position_;
    const std::string key = name();
    const bool named =
        !key.empty() && !std::isdigit(static_cast<unsigned char>(key[0])) && consume('=');
    if (!named) position_ = begin;
    if (!named && kwargs.size()) reject("positional argument follows keyword argument");
    Value v = value();
    if (!named) return args.push_back(std::move(v));
    if (kwargs.contains(key)) reject("keyword argument '" + key + "' is repeated");
    kwargs.as_dict().set(key, std::move(v));
  }

  Value parse_number() {
    const char* const begin = text_.data() + position_ + (text_[position_] == '+' ? 1 : 0);
    const char* const end = text_.data() + text_.size();
    std::int64_t integer = 0;
    double real = 0;
    const auto integer_result = std::from_chars(begin, end, integer);
    const auto real_result = std::from_chars(begin, end, real);
    if (real_result.ec != std::errc() && integer_result.ec != std::errc())
      reject("expected a value");
    const bool is_integer =
        integer_result.ec == std::errc() && integer_result.ptr == real_result.ptr;
    position_ = static_cast<std::size_t>((is_integer ? integer_result.ptr : real_result.ptr) -
                                         text_.data());
    return is_integer ? Value(integer) : Value(real);
  }

  std::string_view text_;
  const MakeCall* make_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Value parse_call(std::string_view text, const MakeCall& make) {
  return Parser(text, &make).parse();
}

Value parse_literal(std::string_view text) {
  const auto first = text.empty() ? 'x' : text[0];
  const bool literal = first == '(' || first == '[' || first == '\'' || first == '"' ||
                       first == '-' || first == '+' || first == '.' ||
                       std::isalnum(static_cast<unsigned char>(first));
  if (!literal) return Value(text);
  return Parser(text, nullptr).parse();
}

}  // namespace taper::cli
