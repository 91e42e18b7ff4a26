// Runs case files and counts their results.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cases/case_file.h"

namespace taper::oracle {

struct Selection {
  std::vector<std::string> families{}, cases{};  ///< of checkpoints: kinds and files; empty: all
  bool verbose = false;
  bool strict_stride = false;  ///< files: strides of tensors must be equal to those in the file
  std::string write_back{};    ///< files, events: directory to write to; empty: none
};

/// Counts of the results of a family.
struct CaseCounts {
  std::size_t passed = 0, failed = 0, skipped = 0;
  std::map<std::string, std::size_t>
      missing;  ///< number of skipped cases by what the library lacks

  CaseCounts& operator+=(const CaseCounts& other);
};

/// Runs all case files and corpora under `directory`, prints a report, and returns the total.
/// Throws std::runtime_error if the directory contains no case file or the selection is empty.
CaseCounts run_directory(const std::string& directory, const Selection& selection);

}  // namespace taper::oracle
