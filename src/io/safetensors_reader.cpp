// The safetensors format: a JSON header that must account for every byte of the data.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/formats.h"
#include "io/text.h"

namespace taper::io {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t kLargestHeader = 100'000'000;

struct Entry {
  std::string name;
  DType dtype;
  Shape shape;
  std::uint64_t begin, end;
};

class Header {
 public:
  explicit Header(const MappedFile& file) : file_(file) {}

  std::vector<Entry> entries() {
    const auto bytes = file_.bytes();
    if (bytes.size() < 8) refuse("header too small");
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), 8);
    if (size > kLargestHeader) refuse("header too large");
    if (size > bytes.size() - 8) refuse("invalid header length");
    data_ = bytes.subspan(8 + size);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, size);
    // The parser forgives a mark at the begin and takes a zero for the end; the format does not.
    if (!is_utf8(text)) refuse("invalid UTF-8 in header");
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{')
      refuse("invalid JSON in header: it is no object");
    if (text.find('\0') != std::string_view::npos)
      refuse("invalid JSON in header: it holds a zero byte");
    const Json json = parse(text);
    if (!json.is_object()) refuse("invalid JSON in header: it is no object");
    std::vector<Entry> list;
    for (const auto& [name, value] : json.items()) {
      if (name == "__metadata__")
        read_metadata(value);
      else
        list.push_back(entry(name, value));
    }
    std::sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const Entry& e : list) {
      if (e.begin != at || e.end < e.begin)
        refuse("invalid offset for tensor '" + shown(e.name) + "'");
      at = e.end;
    }
    if (at != data_.size()) refuse("incomplete metadata, file not fully covered");
    return list;
  }
  std::span<const std::byte> data() const { return data_; }
  /// The strings under __metadata__: a dict, or none.
  const Value& metadata() const { return metadata_; }
  [[noreturn]] void refuse(const std::string& what) const {
    fail<IoError>("load: {}: safetensors: {}", file_.path(), what);
  }

 private:
  Json parse(std::string_view text) const {
    // Depth is limited before parsing: the header has three levels.
    int depth = 0, deepest = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quoted) {
        if (c == '\\')
          ++i;
        else if (c == '"')
          quoted = false;
      } else if (c == '"')
        quoted = true;
      else if (c == '{' || c == '[')
        deepest = std::max(deepest, ++depth);
      else if (c == '}' || c == ']')
        --depth;
    }
    if (deepest > 16) refuse("invalid JSON in header: it is nested too deep");
    bool repeated = false;
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
      if (event == Json::parse_event_t::object_start)
        keys.emplace_back();
      else if (event == Json::parse_event_t::object_end)
        keys.pop_back();
      else if (event == Json::parse_event_t::key)
        repeated |= !keys.back().insert(parsed.get<std::string>()).second;
      return true;
    };
    const Json json = Json::parse(text, watch, false);
    if (json.is_discarded()) refuse("invalid JSON in header");
    if (repeated) refuse("invalid JSON in header: a name appears twice");
    return json;
  }
  void read_metadata(const Json& value) {
    if (!value.is_object()) refuse("invalid JSON in header: __metadata__ is no object");
    metadata_ = Value::dict();
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string())
        refuse("invalid JSON in header: __metadata__ '" + shown(key) + "' is no text");
      metadata_.as_dict().set(key, text.get<std::string>());
    }
  }
  std::uint64_t whole(const Json& v, const std::string& name) const {
    if (!v.is_number_unsigned())
      refuse("invalid JSON in header: a size or offset of '" + shown(name) +
             "' is no whole number");
    return v.get<std::uint64_t>();
  }
  Entry entry(const std::string& name, const Json& value) const {
    const bool fits = value.is_object() && value.size() == 3 && value.contains("dtype") &&
                      value.contains("shape") && value.contains("data_offsets") &&
                      value["dtype"].is_string() && value["shape"].is_array() &&
                      value["data_offsets"].is_array() && value["data_offsets"].size() == 2;
    if (!fits) refuse("invalid JSON in header: the entry of '" + shown(name) + "'");
    Entry e{name,
            dtype(value["dtype"].get<std::string>(), name),
            {},
            whole(value["data_offsets"][0], name),
            whole(value["data_offsets"][1], name)};
    std::uint64_t bytes = size_of(e.dtype);
    if (value["shape"].size() > 64) refuse("'" + shown(name) + "' has more than 64 dimensions");
    for (const Json& d : value["shape"]) {
      const std::uint64_t n = whole(d, name);
      if (n > INT64_MAX || (n != 0 && __builtin_mul_overflow(bytes, n, &bytes)))
        refuse("overflow computing buffer size from shape and/or element type of '" + shown(name) +
               "'");
      if (n == 0) bytes = 0;
      e.shape.push_back(static_cast<std::int64_t>(n));
    }
    if (e.end < e.begin || e.end - e.begin != bytes)
      refuse("invalid shape, data type, or offset for tensor '" + shown(name) + "'");
    return e;
  }
  DType dtype(const std::string& text, const std::string& name) const {
    constexpr std::string_view names[] = {"F64", "F32", "F16", "BF16", "I64",
                                          "I32", "I16", "I8",  "U8",   "BOOL"};
    for (int i = 0; i < kDTypeCount; ++i)
      if (names[i] == text) return static_cast<DType>(i);
    refuse("tensor '" + shown(name) + "' has dtype " + shown(text) + ", which is not supported");
  }

  const MappedFile& file_;
  std::span<const std::byte> data_;
  Value metadata_;
};

}  // namespace

Value read_safetensors(const MappedFile& file, const LoadOptions& options) {
  Header header(file);
  const std::vector<Entry> entries = header.entries();
  Value result = Value::dict();
  if (header.metadata().is_dict())
    result.as_dict().set_attribute("__metadata__", header.metadata());
  for (const Entry& e : entries) {
    const Tensor t = new_tensor(e.shape, e.dtype, Device::cpu());
    if (e.end > e.begin)
      std::memcpy(impl(t).storage->plain().data, header.data().data() + e.begin, e.end - e.begin);
    result.as_dict().set(e.name, options.map_location ? t.to(*options.map_location) : t);
  }
  return result;
}

}  // namespace taper::io
