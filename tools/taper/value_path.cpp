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

/// Returns the value of a key of a container; null if absent. The result may point to `storage`,
/// which stores a part that the container creates on request.
const Value* child(const Value& v, const std::string& key, Value& storage) {
  if (v.is_dict()) {
    if (const Value* found = v.find(key)) return found;
    for (const auto& [k, item] : v.as_dict())
      if (!k.is_string() && key_text(k) == key) return &item;
  } else if (is_sequence(v)) {
    const auto& items = v.as_sequence();
    for (std::size_t i = 0; i < items.size(); ++i)
      if (std::to_string(i) == key) return &items[i];
  } else if (v.kind() == Kind::opaque) {
    for (auto& [name, part] : child_values(v.as_opaque()))
      if (name == key) {
        storage = part;
        return &storage;
      }
  }
  return nullptr;
}

std::string list_keys(const Value& v) {
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

Value value_at_path(const Value& value, const std::string& path) {
  Value current = value, storage;
  std::string_view remaining = path;
  while (!remaining.empty()) {
    // Keys may contain dots: the shortest key that exists is used.
    std::size_t end = remaining.find('.');
    for (;; end = remaining.find('.', end + 1)) {
      const std::string key(remaining.substr(0, end));
      if (const Value* found = child(current, key, storage)) {
        current = Value(*found);
        remaining.remove_prefix(end == std::string_view::npos ? remaining.size() : end + 1);
        break;
      }
      if (end == std::string_view::npos) {
        const std::string keys = list_keys(current);
        throw taper::KeyError(
            "unknown key '" + printable(remaining) +
            "': " + (keys.empty() ? "the value is " + brief(current) : "expected one of " + keys));
      }
    }
  }
  return current;
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

std::vector<std::string> find_state_dicts(const Value& value) {
  if (is_state_dict(value)) return {""};
  std::vector<std::pair<std::uint64_t, std::string>> found;
  const auto collect_state_dicts = [&](const Value& v, const std::string& prefix) {
    if (!v.is_dict()) return;
    for (const auto& [key, item] : v.as_dict()) {
      if (!key.is_string() || !is_state_dict(item)) continue;
      std::uint64_t elements = 0;
      for (const auto& [name, t] : item.as_dict())
        if (t.is_tensor()) elements += static_cast<std::uint64_t>(t.as_tensor().numel());
      found.emplace_back(elements, prefix + key.as_string());
    }
  };
  collect_state_dicts(value, "");
  if (value.is_dict())
    for (const auto& [key, item] : value.as_dict())
      if (key.is_string()) collect_state_dicts(item, key.as_string() + ".");
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> paths;
  for (auto& [elements, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace taper::cli
