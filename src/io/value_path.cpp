#include "io/value_path.h"

#include <unordered_set>
#include <vector>

#include "io/pickle/values.h"
#include "io/text.h"

namespace taper::io {
namespace {

struct Child {
  const Value* value = nullptr;
  std::string (*label)(const Value& of, std::size_t i) = nullptr;
};

std::string index_label(const Value&, std::size_t i) { return "[" + std::to_string(i) + "]"; }
std::string entry_label(const Value& of, std::size_t i) {
  return key_label(of.as_dict().entries()[i / 2].first);
}
std::string attributes_label(const Value&, std::size_t) { return ".__dict__"; }
std::string part_label(const Value& of, std::size_t i) {
  const char* const names[] = {".callable", ".arguments", ".state"};
  if (i < 3) return names[i];
  i -= 3;
  const std::size_t items = of.as_opaque().items.size();
  if (i < items) return "[" + std::to_string(i) + "]";
  return key_label(of.as_opaque().entries[(i - items) / 2].first);
}

const Value* key_or_value(const Dict::Entry& e, std::size_t i) {
  return i % 2 ? &e.second : &e.first;
}

/// Returns the i-th direct child of `v`, or a null child if `i` is out of range. Keys and values of
/// a dict are separate children; its attributes follow.
Child child(const Value& v, std::size_t i) {
  switch (v.kind()) {
    case Value::Kind::list:
    case Value::Kind::tuple:
    case Value::Kind::set:
      if (i < v.as_sequence().size()) return {&v.as_sequence()[i], index_label};
      return {};
    case Value::Kind::dict: {
      const auto& entries = v.as_dict().entries();
      if (i < 2 * entries.size()) return {key_or_value(entries[i / 2], i), entry_label};
      if (i == 2 * entries.size()) return {&v.as_dict().attributes(), attributes_label};
      return {};
    }
    case Value::Kind::opaque: {
      const Opaque& o = v.as_opaque();
      const Value* const parts[] = {&o.callable, &o.arguments, &o.state};
      if (i < 3) return {parts[i], part_label};
      const std::size_t rest = i - 3, items = o.items.size();
      if (rest < items) return {&o.items[rest], part_label};
      if (rest - items < 2 * o.entries.size())
        return {key_or_value(o.entries[(rest - items) / 2], rest - items), part_label};
      return {};
    }
    default: return {};
  }
}

}  // namespace

std::string key_label(const Value& key) {
  if (key.is_string()) return "[\"" + escape_for_message(key.as_string()) + "\"]";
  return "[" + key.repr().substr(0, 100) + "]";
}

std::string path_to(const Value& root, const Value* wanted) {
  struct Step {
    const Value* value;
    std::size_t next = 0;
  };
  if (wanted == &root) return "";
  std::vector<Step> steps{{&root}};
  std::unordered_set<const void*> seen{identity(root)};
  while (!steps.empty()) {
    Step& top = steps.back();
    const Child c = child(*top.value, top.next++);
    if (!c.value) {
      steps.pop_back();
    } else if (c.value == wanted) {
      std::string path;
      for (const Step& s : steps) path += child(*s.value, s.next - 1).label(*s.value, s.next - 1);
      return path;
    } else if (identity(*c.value) && seen.insert(identity(*c.value)).second) {
      steps.push_back({c.value});
    }
  }
  return "";
}

}  // namespace taper::io
