// Runs a corpus of checkpoint files: a directory whose index.json lists files and their contents.
#pragma once
#include <string>
#include <vector>

#include "runner.h"

namespace taper::oracle {

/// Returns the sorted paths of all index.json files of corpora in a directory and its
/// subdirectories.
std::vector<std::string> find_corpora(const std::string& directory);

/// Reads every file of the corpus in a separate process and an empty working directory, and prints
/// one line per kind. Throws MalformedCase for a malformed index.
CaseCounts run_corpus(const std::string& index_path, const Selection& selection);

}  // namespace taper::oracle
