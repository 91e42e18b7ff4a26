// Tree of modules, built from dotted names of tensors.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "contents.h"

namespace taper::cli {

/// A module with its tensors and children.
struct Branch {
  std::string name;  ///< last part of the path: "conv1"
  std::string path;  ///< full name: "layer1.0.conv1"
  std::uint64_t tensors = 0, elements = 0,
                bytes = 0;         ///< including children; shared bytes count once
  std::vector<std::size_t> own{};  ///< indices of the tensors directly in it
  std::vector<Branch> children{};  ///< in the order of the file
};

/// Returns the tree of the chosen tensors, given by their indices in `contents`. Names are split at
/// the first 64 dots at most.
Branch build_tree(const Contents& contents, const std::vector<std::size_t>& chosen);

/// Returns the first branch from the root that has tensors or several children: the one whose
/// children are printed.
const Branch& skip_single_children(const Branch& root);

}  // namespace taper::cli
