#include "data/readers/shards/decode.h"

#include <algorithm>
#include <span>

#include "core/check.h"
#include "data/readers/decimal.h"
#include "data/readers/input_file.h"
#include "data/readers/shards/json_value.h"
#include "io/text.h"
#include "taper/io/load.h"

namespace taper::data {
namespace {

bool is_meta(std::string_view part) {
  return part.size() >= 2 && part.starts_with("__") && part.ends_with("__");
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the integer that Python's int() makes of the text: blanks around it, a sign, and single
/// underscores between digits are permitted.
Value parse_integer(std::string_view text) {
  const std::string shown = io::escape_for_message(text);
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  text = first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
  std::string digits;
  if (text.starts_with('-')) digits = "-";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  char before = '_';
  for (const char c : text) {
    if (!is_digit(c) && (c != '_' || before == '_'))
      fail<ValueError>("'{}' is not an integer", shown);
    if (c != '_') digits += c;
    before = c;
  }
  constexpr std::size_t kMaxDigits = 4300;  // the limit of Python
  if (before == '_') fail<ValueError>("'{}' is not an integer", shown);
  if (digits.size() > kMaxDigits)
    fail<ValueError>("an integer has more than {} digits", kMaxDigits);
  return Value::big_integer(digits);
}

Value parse_text(std::string_view bytes) {
  if (!io::is_utf8(bytes)) fail<ValueError>("invalid UTF-8: '{}'", io::escape_for_message(bytes));
  return bytes;
}

Value load_tensors(const std::string& bytes) {
  try {
    return load(std::as_bytes(std::span(bytes)), {.mmap = false});
  } catch (const Error& error) { fail<ValueError>("{}", error.message()); }
}

}  // namespace

std::optional<std::pair<std::string, std::string>> split_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos ? is_meta(path)
                         : path.find('/') >= 4 && is_meta(path.substr(0, path.find('/'))))
    return {};
  const std::size_t begin = slash == path.npos ? 0 : slash + 1;
  const std::size_t dot = path.find('.', begin);
  if (dot == path.npos) return {};
  if (dot == begin) {
    // A hidden file belongs to the key of its directory, if the name of that is without a dot.
    const std::size_t parent = begin < 2 ? path.npos : path.rfind('/', begin - 2);
    const std::size_t name = parent == path.npos ? 0 : parent + 1;
    if (begin == 0 || path.substr(name, begin - name).find('.') != path.npos) return {};
  }
  std::string field(path.substr(dot + 1));
  for (char& c : field)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::pair(std::string(path.substr(0, dot)), std::move(field));
}

Value decode_field(const std::string& field, std::string bytes, const WebDatasetOptions& options) {
  std::string name = field;
  if (options.decode && name.ends_with(".gz")) {
    bytes = inflate_gzip(bytes);
    name.resize(name.size() - 3);
  }
  for (const FieldDecoder& decoder : options.decoders)
    if (auto value = decoder(name, bytes)) return *std::move(value);
  if (!options.decode) return Value::bytes(bytes);
  const std::string_view kind = std::string_view(name).substr(name.rfind('.') + 1);
  if (is_one_of(kind, {"txt", "text", "transcript"})) return parse_text(bytes);
  if (is_one_of(kind, {"cls", "cls2", "index", "inx", "id"})) return parse_integer(bytes);
  if (is_one_of(kind, {"json", "jsn"})) return parse_json(bytes);
  if (is_one_of(kind, {"npy", "npz", "pth"})) return load_tensors(bytes);
  return Value::bytes(bytes);
}

}  // namespace taper::data
