// One file of a corpus, and what became of it.
#pragma once
#include <string>
#include <vector>

#include "files/differ.h"

namespace taper::oracle {

/// An entry of index.json, with the fields that a reader is judged by.
struct FileEntry {
  std::string file, kind, expect, path;
  bool hostile = false;
  const Json* value = nullptr;     ///< the description, if there is one
  const Json* metadata = nullptr;  ///< of safetensors, if the entry says something of it
  Rules rules;
};

/// Throws BadCase for an entry that is not of the format.
FileEntry read_entry(const Json& entry, const std::string& folder, bool strict_stride);

struct Judgement {
  std::vector<std::string> failures;
  std::string outcome;  ///< what happened, for people
  bool was_read = false;
  double seconds = 0;
};

/// Reads the file, in this process, and judges what comes of it.
Judgement judge(const FileEntry& entry);

/// What is wrong with the text of an error about `path`; empty if it is clear.
std::string unclear(const std::string& text, const std::string& path);
/// What an error that refuses unsupported parts fails to name; empty if it names enough.
std::string unnamed(const std::string& text, const FileEntry& entry);

}  // namespace taper::oracle
