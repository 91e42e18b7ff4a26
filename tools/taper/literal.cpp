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

constexpr int kDeepest = 64;

class Parser {
 public:
  Parser(std::string_view text, const MakeCall* make) : text_(text), make_(make) {}

  Value whole() {
    Value v = value(true);
    skip_space();
    if (at_ < text_.size()) reject("unexpected text after the expression");
    return v;
  }

 private:
  [[noreturn]] void reject(const std::string& what) const {
    throw UsageError(
        fmt::format("'{}': syntax error at character {}: {}", printable(text_), at_ + 1, what));
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// Parses a value. If `outermost` is true, a bare name is a call without arguments.
  Value value(bool outermost = false) {
    if (++depth_ > kDeepest) reject("nested too deeply");
    skip_space();
    if (at_ >= text_.size()) reject("unexpected end");
    const char c = text_[at_];
    Value v;
    if (c == '\'' || c == '"')
      v = quoted(c);
    else if (c == '(' || c == '[')
      v = sequence();
    else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_')
      v = word(outermost);
    else
      v = number();
    --depth_;
    return v;
  }

  Value quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) reject("unterminated string");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return Value(inside);
  }

  Value sequence() {
    const bool list = text_[at_++] == '[';
    const char close = list ? ']' : ')';
    Values items;
    bool comma = false;
    while (!take(close)) {
      if (!items.empty() && !comma) reject(fmt::format("expected ',' or '{}'", close));
      items.push_back(value());
      comma = take(',');
    }
    if (list) return Value::list(std::move(items));
    if (items.size() == 1 && !comma) return items[0];  // a parenthesized value
    return Value::tuple(std::move(items));
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Value word(bool outermost) {
    const std::size_t begin = at_;
    const std::string said = name();
    if (said == "True" || said == "true") return true;
    if (said == "False" || said == "false") return false;
    if (said == "None" || said == "none") return {};
    if (said == "inf" || said == "nan") return said == "inf" ? HUGE_VAL : static_cast<double>(NAN);
    if (!make_) return Value(said);
    if (!take('(')) {
      if (outermost) return (*make_)(said, {}, {});
      at_ = begin;
      reject("a string requires quotes, a module requires parentheses");
    }
    Values args;
    Value kwargs = Value::dict();
    for (bool comma = true; !take(')'); comma = take(',')) {
      if (!comma) reject("expected ',' or ')'");
      argument(args, kwargs);
    }
    return (*make_)(said, args, kwargs);
  }

  void argument(Values& args, const Value& kwargs) {
    skip_space();
    const std::size_t begin = at_;
    const std::string key = name();
    const bool named =
        !key.empty() && !std::isdigit(static_cast<unsigned char>(key[0])) && take('=');
    if (!named) at_ = begin;
    if (!named && kwargs.size()) reject("positional argument follows keyword argument");
    Value v = value();
    if (!named) return args.push_back(std::move(v));
    if (kwargs.contains(key)) reject("keyword argument '" + key + "' is repeated");
    kwargs.as_dict().set(key, std::move(v));
  }

  Value number() {
    const char* const begin = text_.data() + at_ + (text_[at_] == '+' ? 1 : 0);
    const char* const end = text_.data() + text_.size();
    std::int64_t integer = 0;
    double real = 0;
    const auto whole = std::from_chars(begin, end, integer);
    const auto broken = std::from_chars(begin, end, real);
    if (broken.ec != std::errc() && whole.ec != std::errc()) reject("expected a value");
    const bool is_integer = whole.ec == std::errc() && whole.ptr == broken.ptr;
    at_ = static_cast<std::size_t>((is_integer ? whole.ptr : broken.ptr) - text_.data());
    return is_integer ? Value(integer) : Value(real);
  }

  std::string_view text_;
  const MakeCall* make_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Value parse_call(std::string_view text, const MakeCall& make) {
  return Parser(text, &make).whole();
}

Value parse_literal(std::string_view text) {
  const auto first = text.empty() ? 'x' : text[0];
  const bool literal = first == '(' || first == '[' || first == '\'' || first == '"' ||
                       first == '-' || first == '+' || first == '.' ||
                       std::isalnum(static_cast<unsigned char>(first));
  if (!literal) return Value(text);
  return Parser(text, nullptr).whole();
}

}  // namespace taper::cli
