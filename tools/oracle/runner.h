// Runs case files and counts.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cases/case_file.h"

namespace taper::oracle {

struct Selection {
  std::vector<std::string> families{}, cases{};  ///< empty: all. Of files: kinds and paths
  bool verbose = false;
  bool strict_stride = false;  ///< files: strides of tensors must be those of the file
  std::string write_back{};    ///< files: a folder to write all that was read to; empty: none
};

/// What became of the cases of a family.
struct Tally {
  std::size_t passed = 0, failed = 0, skipped = 0;
  std::map<std::string, std::size_t> missing;  ///< names of what does not exist yet

  Tally& operator+=(const Tally& other);
};

/// Runs every case file and every corpus of checkpoint files under `directory`, reports on standard
/// output, and gives the total. Throws std::runtime_error if there is no case file or no case was
/// selected.
Tally run_directory(const std::string& directory, const Selection& selection);

}  // namespace taper::oracle
