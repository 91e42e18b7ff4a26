// taper show: what is in a file.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "contents.h"
#include "json.h"
#include "source.h"
#include "tensor_stats.h"

namespace taper::cli {

struct Shown {
  const Source& source;
  const Contents& contents;
  std::vector<std::size_t> chosen;  ///< tensors whose names match
  std::vector<TensorStats> stats;   ///< of those, if wanted
  std::string pattern;
};

void print_show(Out& out, const Shown& shown, bool as_tree);
Json json_of_show(const Shown& shown, bool with_tree);

/// "3 forward hooks (my.hooks.print_shape)".
std::string hooks_text(const ModuleItem& module);
/// The line about the kind of a file and its size, used by other commands too.
void print_heading(Out& out, const Source& source);

}  // namespace taper::cli
