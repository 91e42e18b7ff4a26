#include "io/dcp/nested_state.h"

#include "taper/core/dict.h"

namespace taper::io {

NestedState::Node* NestedState::child(Node& node, const Value& key) {
  const auto kind = key.is_string() ? Node::Kind::dict : Node::Kind::list;
  if (node.kind == Node::Kind::unset) node.kind = kind;
  if (node.kind != kind) return nullptr;
  if (kind == Node::Kind::dict) {
    const auto [it, is_new] = node.by_key.try_emplace(key.as_string(), nullptr);
    if (is_new)
      it->second =
          node.entries.emplace_back(key.as_string(), std::make_unique<Node>()).second.get();
    return it->second;
  }
  // Bounds the memory of lists whose indices come from a file.
  constexpr std::int64_t kMaxMissing = 1'000'000;
  const std::int64_t index = key.as_int(),
                     size = node.items.empty() ? 0 : node.items.rbegin()->first + 1;
  if (index >= size) {
    if (index - size > kMaxMissing - num_missing_) return nullptr;
    num_missing_ += index - size;
  }
  std::unique_ptr<Node>& item = node.items[index];
  if (!item) item = std::make_unique<Node>();
  return item.get();
}

bool NestedState::set(const Values& path, Value value) {
  constexpr std::size_t kMaxDepth = 200;
  if (path.size() > kMaxDepth) return false;
  Node* node = &root_;
  for (const Value& key : path)
    if (!(node = child(*node, key))) return false;
  if (node->kind != Node::Kind::unset) return false;
  node->kind = Node::Kind::leaf;
  node->leaf = std::move(value);
  return true;
}

Value NestedState::to_value(const Node& node) {
  switch (node.kind) {
    case Node::Kind::unset: return Value::dict();  // the root of an empty checkpoint
    case Node::Kind::leaf: return node.leaf;
    case Node::Kind::dict: {
      Value dict = Value::dict();
      dict.as_dict().reserve(node.entries.size());
      for (const auto& [key, part] : node.entries) dict.as_dict().set(key, to_value(*part));
      return dict;
    }
    case Node::Kind::list: {
      Values items;
      for (const auto& [index, part] : node.items) {
        items.resize(static_cast<std::size_t>(index));
        items.push_back(to_value(*part));
      }
      return Value::list(std::move(items));
    }
  }
  return {};
}

}  // namespace taper::io
