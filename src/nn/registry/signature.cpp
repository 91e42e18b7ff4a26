#include "nn/registry/signature.h"

#include <cstdlib>
#include <string>

namespace taper::nn {
namespace {

Value parse_literal(std::string_view text) {
  if (text == "None") return {};
  if (text == "True" || text == "False") return text == "True";
  if (text == "()") return Value::tuple();
  if (text.front() == '\'') return text.substr(1, text.size() - 2);
  const std::string number(text);
  if (number.find_first_of(".e") == std::string::npos)
    return static_cast<std::int64_t>(std::strtoll(number.c_str(), nullptr, 10));
  return std::strtod(number.c_str(), nullptr);
}

}  // namespace

std::vector<SignatureEntry> parse_signature(std::string_view text) {
  using Kind = SignatureEntry::Kind;
  std::vector<SignatureEntry> all;
  Kind kind = Kind::ordinary;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view word = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    if (word == "*") {
      kind = Kind::keyword_only;
    } else if (word.starts_with("**")) {
      all.push_back({word.substr(2), Kind::var_keyword, false, Value::dict()});
    } else if (word.starts_with("*")) {
      all.push_back({word.substr(1), Kind::rest, false, Value::tuple()});
      kind = Kind::keyword_only;
    } else {
      const std::size_t equals = word.find('=');
      const bool required = equals == std::string_view::npos;
      all.push_back({word.substr(0, equals), kind, required,
                     required ? Value() : parse_literal(word.substr(equals + 1))});
    }
  }
  return all;
}

}  // namespace taper::nn
