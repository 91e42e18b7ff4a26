#include "io/safetensors/header.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "io/safetensors/json.h"
#include "io/text.h"

namespace taper::io {
namespace {

constexpr std::uint64_t kLargestHeader = 100'000'000;

/// SAX parser of the header. No document tree is built, so memory use is proportional to the number
/// of entries.
class HeaderParser final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderParser(SafetensorsHeader& to) : to_(to) {}
  /// Error message; set by the callback that returned false.
  std::string wrong{};

  bool start_object(std::size_t) override {
    if (depth_ == 0) return ++depth_, true;
    if (depth_ != 1 || in_list_) return reject_entry();
    ++depth_;
    if (name_ == "__metadata__")
      to_.metadata = Value::dict();
    else
      to_.entries.push_back({.name = name_, .dtype = {}, .shape = {}});
    seen_ = 0;
    return true;
  }
  bool key(std::string& key) override {
    if (depth_ == 1) {
      name_ = key;
      return names_.insert(key).second || reject("duplicate name '{}'", escape_for_message(key));
    }
    member_ = key;
    if (is_metadata())
      return !to_.metadata.contains(Value(key)) ||
             reject("duplicate key '{}' in __metadata__", escape_for_message(key));
    const unsigned bit = key == "dtype"          ? kDType
                         : key == "shape"        ? kShape
                         : key == "data_offsets" ? kOffsets
                                                 : 0;
    if (bit == 0 || seen_ & bit) return reject_entry();
    seen_ |= bit;
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1 && !is_metadata() && (seen_ != (kDType | kShape | kOffsets)))
      return reject_entry();
    return true;
  }
  bool string(std::string& text) override {
    if (depth_ == 2 && is_metadata()) {
      to_.metadata.as_dict().set(member_, text);
      return true;
    }
    if (depth_ != 2 || in_list_ || member_ != "dtype") return reject_entry();
    to_.entries.back().dtype = text;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_list_ || is_metadata() || member_ == "dtype") return reject_entry();
    in_list_ = true, count_ = 0;
    return true;
  }
  bool end_array() override {
    in_list_ = false;
    return member_ != "data_offsets" || count_ == 2 || reject_entry();
  }
  bool number_unsigned(number_unsigned_t n) override {
    if (!in_list_) return reject_entry();
    SafetensorsEntry& e = to_.entries.back();
    ++count_;
    if (member_ == "data_offsets") {
      (count_ == 1 ? e.begin : e.end) = n;
      return count_ <= 2 || reject_entry();
    }
    constexpr std::size_t kMaxDimensions = 64;
    e.shape.push_back(n);
    return e.shape.size() <= kMaxDimensions ||
           reject("'{}' has more than 64 dimensions", escape_for_message(e.name));
  }
  bool number_integer(number_integer_t) override { return reject_number(); }
  bool number_float(number_float_t, const string_t&) override { return reject_number(); }
  bool null() override { return reject_entry(); }
  bool boolean(bool) override { return reject_entry(); }
  bool binary(binary_t&) override { return reject_entry(); }
  bool parse_error(std::size_t at, const std::string&, const Json::exception&) override {
    return reject("syntax error at byte {}", at + 8);
  }

 private:
  static constexpr unsigned kDType = 1, kShape = 2, kOffsets = 4;
  bool is_metadata() const { return name_ == "__metadata__"; }
  template <class... A> bool reject(fmt::format_string<FormatArg<A>...> form, const A&... args) {
    wrong = format_message(form, args...);
    return false;
  }
  bool reject_entry() {
    if (depth_ == 0) return reject("expected an object");
    if (is_metadata() && depth_ == 2)
      return reject("__metadata__ '{}' is not a string", escape_for_message(member_));
    if (is_metadata()) return reject("__metadata__ is not an object");
    return reject("invalid entry of '{}': expected {{dtype, shape, data_offsets}}",
                  escape_for_message(name_));
  }
  bool reject_number() {
    return in_list_ ? reject("a size or offset of '{}' is not a non-negative integer",
                             escape_for_message(name_))
                    : reject_entry();
  }

  SafetensorsHeader& to_;
  std::unordered_set<std::string> names_;
  std::string name_, member_;
  int depth_ = 0;
  unsigned seen_ = 0;
  std::size_t count_ = 0;
  bool in_list_ = false;
};

}  // namespace

SafetensorsHeader read_safetensors_header(const LoadContext& context) {
  const auto bytes = context.bytes();
  if (bytes.size() < 8)
    context.reject("safetensors: header too small: the file has {} bytes", bytes.size());
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), 8);
  if (size > kLargestHeader) context.reject("safetensors: header too large: {} bytes", size);
  if (size > bytes.size() - 8)
    context.reject("safetensors: invalid header length: {} bytes in a file of {}", size,
                   bytes.size());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, size);
  // The parser accepts a byte order mark at the beginning and treats a zero byte as the end; the
  // format allows neither.
  if (!is_utf8(text)) context.reject("safetensors: invalid UTF-8 in header");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{')
    context.reject("safetensors: invalid JSON in header: expected an object");
  if (text.find('\0') != std::string_view::npos)
    context.reject("safetensors: invalid JSON in header: unexpected zero byte");
  SafetensorsHeader header;
  header.data = 8 + size;
  HeaderParser parser(header);
  if (!Json::sax_parse(text, &parser))
    context.reject("safetensors: invalid JSON in header: {}", parser.wrong);
  return header;
}

}  // namespace taper::io
