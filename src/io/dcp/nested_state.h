// NestedState: builds nested dicts and lists from values and their paths.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "taper/core/value.h"

namespace taper::io {

class NestedState {
 public:
  /// Stores a value at a path of keys and list indices, which begins with a key. Returns false if
  /// an earlier path contradicts it, if it is nested too deeply, or if its lists have too many
  /// items that no value fills.
  bool set(const Values& path, Value value);
  /// Returns the outermost dict. List items that were not stored are None, as in PyTorch.
  Value value() const { return to_value(root_); }

 private:
  struct Node {
    enum class Kind : std::uint8_t { unset, leaf, dict, list } kind = Kind::unset;
    Value leaf{};
    std::vector<std::pair<std::string, std::unique_ptr<Node>>> entries{};  // of a dict, in order
    std::unordered_map<std::string, Node*> by_key{};
    std::map<std::int64_t, std::unique_ptr<Node>> items{};  // of a list
  };
  /// Returns the part of a container, which is created if it does not exist; null if the node is
  /// not a container of this kind.
  Node* child(Node& node, const Value& key);
  static Value to_value(const Node& node);

  Node root_{};
  std::int64_t num_missing_ = 0;
};

}  // namespace taper::io
