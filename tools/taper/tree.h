// Names with dots as a tree of modules.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "contents.h"

namespace taper::cli {

struct Branch {
  std::string name;                                    ///< of this module alone: "conv1"
  std::string path;                                    ///< "layer1.0.conv1"
  std::uint64_t tensors = 0, elements = 0, bytes = 0;  ///< with all that is below; shared ones once
  std::vector<std::size_t> own{};                      ///< tensors directly in it
  std::vector<Branch> children{};                      ///< in the order of the file
};

/// The tree of those tensors whose names were chosen. Names are split at no more than 64 dots.
Branch tree_of(const Contents& contents, const std::vector<std::size_t>& chosen);

/// The modules to give totals for: the first level on which there are several.
const Branch& top_of(const Branch& root);

}  // namespace taper::cli
