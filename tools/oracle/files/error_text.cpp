// Criteria for clear error messages.
#include <cctype>

#include "files/dtype_names.h"
#include "files/entry.h"

namespace taper::oracle {
namespace {

/// An unsupported part of a value: its possible names and the keys of its path.
struct UnsupportedObject {
  std::vector<std::string> names, keys;
};

void collect(const Json& d, const std::vector<std::string>& keys,
             std::vector<UnsupportedObject>& parts) {
  if (is_unsupported(d)) {
    UnsupportedObject part{{}, keys};
    if (d.contains("layout")) {
      const std::string layout = d["layout"];  // such as torch.sparse_coo
      part.names = {layout.substr(layout.rfind('.') + 1), "_rebuild_sparse_tensor"};
    } else if (d["t"] == "tensor") {
      part.names = names_of_dtype(d["dtype"]);
    } else {
      const std::string name = d["class"];
      part.names = {name.substr(name.rfind('.') + 1), name.substr(0, name.find('.')) + "."};
    }
    parts.push_back(std::move(part));
  }
  if (!d.contains("items")) return;
  for (const Json& item : d["items"]) {
    if (d["t"] != "dict") {
      collect(item, keys, parts);
      continue;
    }
    std::vector<std::string> item_keys = keys;
    if (item[0].at("t") == "str") item_keys.push_back(item[0]["v"]);
    collect(item[1], item_keys, parts);
  }
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool names(const std::string& text, const UnsupportedObject& part) {
  bool has_name = false, has_key = part.keys.empty();
  for (const std::string& name : part.names) has_name = has_name || has(text, name);
  for (const std::string& key : part.keys) has_key = has_key || has(text, key);
  return has_name && has_key;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

/// Returns true for text with a dotted name such as "torch.float8" that is not a path.
bool has_dotted_name(const std::string& text) {
  for (std::size_t dot = text.find('.'); dot != text.npos; dot = text.find('.', dot + 1)) {
    const std::size_t space = text.find_last_of(" \n", dot), end = text.find_first_of(" \n", dot);
    const std::size_t begin = space == text.npos ? 0 : space + 1;
    const std::string word = text.substr(begin, end == text.npos ? end : end - begin);
    const bool joins_letters =
        dot > 0 && dot + 1 < text.size() && is_letter(text[dot + 1]) &&
        (is_letter(text[dot - 1]) || std::isdigit(static_cast<unsigned char>(text[dot - 1])));
    if (joins_letters && !has(word, "/")) return true;
  }
  return false;
}

}  // namespace

std::string check_error_clarity(const std::string& text, const std::string& path) {
  constexpr std::size_t kMaxLength = 1000, kMinLength = 10;
  // An error about an index that names a shard may refer to the shard.
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  if (!has(text, path) && !(path.ends_with(".json") && has(text, folder)))
    return "the error does not name the file";
  if (text.size() > path.size() + kMaxLength)
    return "the error has " + std::to_string(text.size()) + " characters";
  if (text.size() < path.size() + kMinLength) return "the error does not state the problem";
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      return "the error contains a control character";
  return "";
}

std::string check_error_names(const std::string& text, const FileEntry& entry) {
  if (entry.kind == "torchscript") {
    if (!has(text, "TorchScript")) return "the error does not name TorchScript";
    return has(text, "state_dict") ? "" : "the error does not mention the state dict";
  }
  if (!entry.value) {  // a damaged file: some dotted name is required
    return has_dotted_name(text) ? "" : "the error does not name a class or function";
  }
  std::vector<UnsupportedObject> parts;
  collect(*entry.value, {}, parts);
  for (const UnsupportedObject& part : parts)
    if (names(text, part)) return "";
  return "the error does not name the class, function, dtype or layout, and its key";
}

}  // namespace taper::oracle
