#include "tree.h"

#include <unordered_map>

namespace taper::cli {
namespace {

constexpr std::size_t kMaxDepth = 64;

/// Builder of a tree. Finds existing children by their path.
struct TreeBuilder {
  Branch root{};
  std::unordered_map<std::string, std::size_t> child_indices{};  // index among siblings by path

  Branch& child(Branch& parent, const std::string& name) {
    const std::string path = parent.path.empty() ? name : parent.path + "." + name;
    const auto [found, is_new] = child_indices.emplace(path, parent.children.size());
    if (is_new) parent.children.push_back({name, path});
    return parent.children[found->second];
  }

  void add(const TensorItem& item, std::size_t index) {
    const bool counts = item.shares_with == TensorItem::npos;
    Branch* at = &root;
    const auto count = [&](Branch& b) {
      ++b.tensors;
      if (!counts) return;
      b.elements += static_cast<std::uint64_t>(item.shape.numel());
      b.bytes += item.bytes;
    };
    count(*at);
    std::size_t begin = 0, depth = 0;
    for (std::size_t dot;
         (dot = item.name.find('.', begin)) != std::string::npos && depth < kMaxDepth;
         begin = dot + 1, ++depth) {
      at = &child(*at, item.name.substr(begin, dot - begin));
      count(*at);
    }
    at->own.push_back(index);
  }
};

}  // namespace

Branch build_tree(const Contents& contents, const std::vector<std::size_t>& chosen) {
  TreeBuilder builder;
  for (const std::size_t i : chosen) builder.add(contents.tensors[i], i);
  return std::move(builder.root);
}

const Branch& skip_single_children(const Branch& root) {
  const Branch* at = &root;
  while (at->own.empty() && at->children.size() == 1) at = &at->children[0];
  return *at;
}

}  // namespace taper::cli
