// Runs a corpus of checkpoint files: a folder whose index.json lists files and what they hold.
#pragma once
#include <string>
#include <vector>

#include "runner.h"

namespace taper::oracle {

/// Paths of the index.json of corpora under a directory, itself included, sorted.
std::vector<std::string> corpora(const std::string& directory);

/// Reads every file of the corpus, each in a process of its own and in an empty folder, and reports
/// a line per kind. Throws BadCase for an index that is not of the format.
Tally run_corpus(const std::string& index_path, const Selection& selection);

}  // namespace taper::oracle
