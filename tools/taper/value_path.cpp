// Lookup of parts of nested values by path.
#include <algorithm>

#include "contents.h"
#include "taper/core/error.h"
#include "taper/io/foreign_tensor.h"
#include "value_parts.h"
#include "words.h"

namespace taper::cli {

using taper::Value;
using Kind = Value::Kind;

namespace {

/// Returns the value of a key of a container; null if absent. The result may point to `kept`, which
/// stores a part that the container creates on request.
const Value* child(const Value& v, const std::string& key, Value& kept) {
  if (v.is_dict()) {
    if (const Value* found = v.find(key)) return found;
    for (const auto& [k, item] : v.as_dict())
      if (!k.is_string() && key_text(k) == key) return &item;
  } else if (is_sequence(v)) {
    const auto& items = v.as_sequence();
    for (std::size_t i = 0; i < items.size(); ++i)
      if (std::to_string(i) == key) return &items[i];
  } else if (v.kind() == Kind::opaque) {
    for (auto& [name, part] : parts_of(v.as_opaque()))
      if (name == key) {
        kept = part;
        return &kept;
      }
  }
  return nullptr;
}

std::string keys_text(const Value& v) {
  std::string text;
  std::size_t shown = 0;
  if (v.is_dict())
    for (const auto& [key, item] : v.as_dict()) {
      if (++shown > 8) return text + ", …";
      text += (text.empty() ? "" : ", ") + printable(key_text(key), 60);
    }
  return text;
}

}  // namespace

Value part_of(const Value& value, const std::string& path) {
  Value at = value, kept;
  std::string_view left = path;
  while (!left.empty()) {
    // Keys may contain dots: the shortest key that exists is used.
    std::size_t end = left.find('.');
    for (;; end = left.find('.', end + 1)) {
      const std::string key(left.substr(0, end));
      if (const Value* found = child(at, key, kept)) {
        at = Value(*found);
        left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        break;
      }
      if (end == std::string_view::npos) {
        const std::string keys = keys_text(at);
        throw taper::KeyError(
            "unknown key '" + printable(left) +
            "': " + (keys.empty() ? "the value is " + brief(at) : "expected one of " + keys));
      }
    }
  }
  return at;
}

namespace {

bool is_state_dict(const Value& v) {
  if (!v.is_dict() || v.size() == 0) return false;
  std::size_t tensors = 0;
  for (const auto& [key, item] : v.as_dict()) {
    if (!key.is_string()) return false;
    tensors += item.is_tensor() || taper::foreign_tensor(item);
  }
  return tensors > 0 && 2 * tensors >= v.size();
}

}  // namespace

std::vector<std::string> state_dicts_in(const Value& value) {
  if (is_state_dict(value)) return {""};
  std::vector<std::pair<std::uint64_t, std::string>> found;
  const auto look = [&](const Value& v, const std::string& prefix) {
    if (!v.is_dict()) return;
    for (const auto& [key, item] : v.as_dict()) {
      if (!key.is_string() || !is_state_dict(item)) continue;
      std::uint64_t elements = 0;
      for (const auto& [name, t] : item.as_dict())
        if (t.is_tensor()) elements += static_cast<std::uint64_t>(t.as_tensor().numel());
      found.emplace_back(elements, prefix + key.as_string());
    }
  };
  look(value, "");
  if (value.is_dict())
    for (const auto& [key, item] : value.as_dict())
      if (key.is_string()) look(item, key.as_string() + ".");
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> paths;
  for (auto& [elements, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace taper::cli
