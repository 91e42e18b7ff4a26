// taper show: text and JSON output.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "contents.h"
#include "json.h"
#include "source.h"
#include "tensor_stats.h"

namespace taper::cli {

/// A file and the tensors to print.
struct Shown {
  const Source& source;
  const Contents& contents;
  std::vector<std::size_t> chosen;  ///< indices of the tensors that match `pattern`
  std::vector<TensorStats> stats;   ///< statistics of `chosen`; empty unless requested
  std::string pattern;
};

/// Prints the contents as text, with the modules as a tree if `as_tree` is true.
void print_show(Out& out, const Shown& shown, bool as_tree);
/// Returns the contents as JSON, with a tree of the modules if `with_tree` is true.
Json json_of_show(const Shown& shown, bool with_tree);

/// Returns a description of the hooks of a module, "3 forward hooks (my.hooks.print_shape)"; an
/// empty string if it has none.
std::string hooks_text(const ModuleItem& module);
/// Prints the path, kind and size of a file.
void print_heading(Out& out, const Source& source);

}  // namespace taper::cli
