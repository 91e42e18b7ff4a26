// RunFolder: the output directory of taper train.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "taper/core/value.h"
#include "taper/data/csv.h"

namespace taper::cli {

/// Contents of the output directory of taper train. A run that was killed in its first epoch has a
/// log of steps and options, but no results.
struct RunFolder {
  /// Reads the directory. Throws UsageError if it is not the directory of a run.
  explicit RunFolder(const std::string& folder);

  bool is_regression() const { return classes.empty(); }
  /// Returns the name of the score in the results of epochs, and in titles.
  std::string score() const { return is_regression() ? "r2" : "accuracy"; }

  std::string path, name;
  data::CsvTable steps;
  std::vector<std::string> classes{};  ///< names of the classes; empty for a regression
  std::vector<std::pair<std::string, std::string>> options{};
  Values epochs{};     ///< results of each epoch that was saved
  Value weights{};     ///< state dict of the network; None if it was not saved
  Value evaluation{};  ///< None unless the run has ended
};

/// Returns the text of an option or property: strings are not quoted, the items of a list are
/// separated by commas.
std::string text_of(const Value& value);

}  // namespace taper::cli
