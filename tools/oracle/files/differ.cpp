#include "files/differ.h"

#include <algorithm>
#include <map>

#include "files/dtype_names.h"

namespace taper::oracle {
namespace {

constexpr std::size_t kMaxDifferences = 20;

std::string abbreviate(const Json& j) {
  constexpr std::size_t kMaxLength = 200;
  std::string text = j.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kMaxLength) text = text.substr(0, kMaxLength) + "...";
  return text;
}

std::string subscript_text(const Json& key) {
  return "[" + abbreviate(key.contains("v") ? key["v"] : key["t"]) + "]";
}

/// Returns `items` in a canonical order, for lists whose order is not significant.
Json sort_items(Json items) {
  std::sort(items.begin(), items.end());
  return items;
}

bool has_elements(const Json& tensor) {
  const Json& shape = tensor.at("shape");
  return std::find(shape.begin(), shape.end(), 0) == shape.end();
}

class Differ {
 public:
  explicit Differ(const Rules& rules) : rules_(rules) {}

  void compare(const Json& a, const Json& b, const std::string& path, bool may_be_opaque = false) {
    if (messages.size() >= kMaxDifferences) return;
    const std::string& type = a.at("t").get_ref<const std::string&>();
    if (b.at("t") == "opaque" && (may_be_opaque || (rules_.may_stay_opaque && is_unsupported(a))))
      return check_opaque_name(a, b, path);
    if (type != b.at("t")) return add_difference(path, abbreviate(a), abbreviate(b));
    if (type == "tensor") return tensor(a, b, path);
    if (type == "module") return module(a, b, path);
    if (type == "dict") return dict(a, b, path);
    if (type == "opaque") return;  // the contents are not compared
    if (!a.contains("items")) {
      if (a != b) add_difference(path, abbreviate(a), abbreviate(b));
      return;
    }
    const bool is_set = type == "set" || type == "frozenset";
    list(is_set ? sort_items(a["items"]) : a["items"],
         is_set ? sort_items(b.at("items")) : b.at("items"), path);
  }

  std::vector<std::string> messages;

 private:
  void add_difference(const std::string& path, const std::string& expected,
                      const std::string& actual) {
    messages.push_back((path.empty() ? "the value" : path) + ": expected " + expected + ", got " +
                       actual);
  }
  void compare_field(const char* name, const Json& a, const Json& b, const std::string& path) {
    if (!a.contains(name)) return;
    if (!b.contains(name) || a[name] != b[name])
      add_difference(path, std::string(name) + " " + abbreviate(a[name]),
                     abbreviate(b.value(name, Json())));
  }
  /// Checks that `b`, the description of an opaque part, has a class name and, for a tensor `a`,
  /// names its dtype.
  void check_opaque_name(const Json& a, const Json& b, const std::string& path) {
    const std::string name = b.value("class", "");
    if (name.empty()) return add_difference(path, "name of an opaque object", "none");
    if (a["t"] != "tensor" || a.contains("layout")) return;
    if (short_name(name) != a["dtype"])
      add_difference(path, "the dtype " + abbreviate(a["dtype"]), name);
  }

  void tensor(const Json& a, const Json& b, const std::string& path) {
    for (const char* name : {"dtype", "shape", "layout", "sha256"}) compare_field(name, a, b, path);
    if (rules_.only_tensors || is_unsupported(a)) return;
    for (const char* name : {"requires_grad", "parameter"}) compare_field(name, a, b, path);
    if (rules_.strict_stride)
      for (const char* name : {"stride", "offset"}) compare_field(name, a, b, path);
    if (!a.contains("storage") || !has_elements(a)) return;
    compare_field("storage_bytes", a, b, path);
    const std::string x = a["storage"], y = b.at("storage");
    if (pairs_.emplace(x, y).first->second != y || reverse_pairs_.emplace(y, x).first->second != x)
      add_difference(path, "storage shared as " + x, y);
  }

  void module(const Json& a, const Json& b, const std::string& path) {
    for (const char* name : {"class", "training", "non_persistent"})
      compare_field(name, a, b, path);
    if (a.value("hooks", Json()) != b.value("hooks", Json()))
      add_difference(path, "hooks " + abbreviate(a.value("hooks", Json())),
                     abbreviate(b.value("hooks", Json())));
    for (const char* section : {"parameters", "buffers", "modules", "attributes"}) {
      const Json &x = a.at(section), &y = b.at(section);
      const bool same_names =
          x.size() == y.size() &&
          std::equal(x.begin(), x.end(), y.begin(),
                     [](const Json& one, const Json& other) { return one[0] == other[0]; });
      if (!same_names) {
        add_difference(path, std::string(section) + " " + names(x), names(y));
        continue;
      }
      for (std::size_t i = 0; i < x.size(); ++i)
        compare(x[i][1], y[i][1], path + "." + x[i][0].get<std::string>());
    }
  }
  static std::string names(const Json& pairs) {
    Json all = Json::array();
    for (const Json& pair : pairs) all.push_back(pair[0]);
    return abbreviate(all);
  }

  void dict(const Json& a, const Json& b, const std::string& path) {
    if (!rules_.only_tensors && a.value("class", "dict") != b.at("class"))
      add_difference(path, "a dict of class " + a.value("class", "dict"), abbreviate(b["class"]));
    const Json x = rules_.only_tensors ? sort_items(a["items"]) : a["items"],
               y = rules_.only_tensors ? sort_items(b["items"]) : b["items"];
    if (x.size() != y.size())
      return add_difference(path, std::to_string(x.size()) + " items", std::to_string(y.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool may_be_opaque =
          path.empty() && x[i][0].at("t") == "str" && rules_.opaque_keys.contains(x[i][0]["v"]);
      compare(x[i][0], y[i][0], path + " key " + subscript_text(x[i][0]));
      compare(x[i][1], y[i][1], path + subscript_text(x[i][0]), may_be_opaque);
    }
    if (rules_.only_tensors) return;
    const Json none = Json::array(), &p = a.value("attrs", none), &q = b.value("attrs", none);
    if (p.size() != q.size())
      return add_difference(path, "attributes " + abbreviate(p), abbreviate(q));
    for (std::size_t i = 0; i < p.size(); ++i)
      compare(p[i][1], q[i][1], path + "." + p[i][0].get<std::string>());
  }

  void list(const Json& a, const Json& b, const std::string& path) {
    if (a.size() != b.size())
      return add_difference(path, std::to_string(a.size()) + " items", std::to_string(b.size()));
    for (std::size_t i = 0; i < a.size(); ++i)
      compare(a[i], b[i], path + "[" + std::to_string(i) + "]");
  }

  const Rules& rules_;
  std::map<std::string, std::string> pairs_, reverse_pairs_;
};

}  // namespace

bool is_unsupported(const Json& described) {
  const std::string type = described.at("t");
  if (type == "tensor")
    return described.contains("layout") || is_foreign(described.value("dtype", "f32"));
  return type == "opaque" || (type == "dict" && described.value("class", "") == "defaultdict");
}

std::vector<std::string> differences(const Json& expected, const Json& actual, const Rules& rules) {
  Differ differ(rules);
  differ.compare(expected, actual, "");
  return differ.messages;
}

}  // namespace taper::oracle
