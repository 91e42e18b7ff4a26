// Runs case files and counts.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cases/case_file.h"

namespace taper::oracle {

struct Selection {
  std::vector<std::string> families{}, cases{};  ///< empty: all
  bool verbose = false;
};

/// What became of the cases of a family.
struct Tally {
  std::size_t passed = 0, failed = 0, skipped = 0;
  std::map<std::string, std::size_t> missing;  ///< names of what does not exist yet

  Tally& operator+=(const Tally& other);
};

/// Runs every case file under `directory`, reports on standard output, and gives the total. Throws
/// std::runtime_error if there is no case file or no case was selected.
Tally run_directory(const std::string& directory, const Selection& selection);

}  // namespace taper::oracle
