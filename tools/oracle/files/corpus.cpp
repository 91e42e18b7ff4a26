#include "files/corpus.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "cases/outcome.h"
#include "files/bounds.h"
#include "files/child.h"
#include "files/entry.h"
#include "files/write_back.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;

/// An empty working directory, removed on destruction. Files in it reveal a command executed by a
/// checkpoint.
class EmptyFolder {
 public:
  EmptyFolder() : original_folder_(fs::current_path()) {
    std::string name = (fs::temp_directory_path() / "taper_oracle_XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot create a temporary directory");
    path_ = name;
    fs::current_path(path_);
  }
  ~EmptyFolder() {
    std::error_code ignored_error;
    fs::current_path(original_folder_, ignored_error);
    fs::remove_all(path_, ignored_error);
  }
  EmptyFolder(const EmptyFolder&) = delete;
  EmptyFolder& operator=(const EmptyFolder&) = delete;
  bool is_empty() const { return fs::is_empty(path_); }

 private:
  fs::path original_folder_, path_;
};

Json read_index(const std::string& path) {
  constexpr int kMaxDepth = 5000;
  std::ifstream file(path);
  Json index = Json::parse(file, [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw MalformedCase("nested too deeply");
    return true;
  });
  if (index.value("format", Json()) != 1) throw MalformedCase("unknown index format");
  return index;
}

bool is_selected(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// Reads and evaluates a file in a child process. If `write_back` is not empty and the value is as
/// expected, also writes it under that directory and appends the index entries to `written`.
CaseResult run_in_child(const FileEntry& entry, const std::string& write_back, Json& written) {
  // Includes time for comparing and hashing, which does not count for the file.
  const unsigned seconds = 2 * seconds_allowed() + 20;
  const ChildResult end = fork_and_run(seconds, [&] {
    const CaseResult j = evaluate(entry);
    Json all = {{"failures", j.failures}, {"outcome", j.outcome}};
    if (!write_back.empty() && entry.value && j.was_read && j.failures.empty())
      all["written"] = write_and_verify(entry, write_back, all["failures"]);
    return all.dump(-1, ' ', true, Json::error_handler_t::replace);
  });
  CaseResult j;
  if (!end.error.empty()) {
    j.failures.push_back(end.error);
    return j;
  }
  const Json all = Json::parse(end.text);
  j.failures = all.at("failures").get<std::vector<std::string>>();
  j.outcome = all.at("outcome");
  for (const Json& one : all.value("written", Json::array())) written.push_back(one);
  return j;
}

/// Returns true if no command of a file was executed: the working directory is empty and no file
/// named `canary` exists near the corpus. Prints each violation.
bool has_no_side_effects(const EmptyFolder& working_folder, const std::string& folder,
                         const std::string& canary) {
  bool is_clean = working_folder.is_empty();
  if (!is_clean) fmt::print("  FAILED {}: a file was written to the working directory\n", folder);
  for (const fs::path& candidate :
       {fs::path(folder), fs::path(folder) / "hostile", fs::path(folder).parent_path()})
    if (!canary.empty() && fs::exists(candidate / canary)) {
      fmt::print("  FAILED {}: {} exists\n", folder, (candidate / canary).string());
      is_clean = false;
    }
  return is_clean;
}

}  // namespace

std::vector<std::string> find_corpora(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file() || entry.path().filename() != "index.json") continue;
    std::ifstream file(entry.path());
    const Json index = Json::parse(
        file, [](int depth, Json::parse_event_t, Json&) { return depth < 2; }, false);
    if (index.is_object() && index.contains("files"))
      paths.push_back(fs::absolute(entry.path()).lexically_normal().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

CaseCounts run_corpus(const std::string& index_path, const Selection& selection) {
  const Json index = read_index(index_path);
  const std::string folder = fs::path(index_path).parent_path().string();
  const std::string write_back =
      selection.write_back.empty() ? "" : fs::absolute(selection.write_back).string();
  if (!write_back.empty()) fs::create_directories(write_back);
  const EmptyFolder working_folder;
  std::map<std::string, CaseCounts> kinds;
  Json written = Json::array();
  for (const Json& fields : index.at("files")) {
    const std::string file = fields.at("file"), kind = fields.at("kind");
    if (!is_selected(selection.families, kind) || !is_selected(selection.cases, file)) continue;
    CaseResult j;
    try {
      j = run_in_child(read_entry(fields, folder, selection.strict_stride), write_back, written);
    } catch (const MalformedCase& error) {
      j.failures.push_back(error.what());
    } catch (const Json::exception& error) { j.failures.push_back(error.what()); }
    ++(j.failures.empty() ? kinds[kind].passed : kinds[kind].failed);
    for (const std::string& failure : j.failures) fmt::print("  FAILED {}: {}\n", file, failure);
    if (selection.verbose && j.failures.empty())
      fmt::print("  passed {}: {}\n", file, j.outcome.substr(0, j.outcome.find('\n')));
  }
  CaseCounts total;
  if (kinds.empty()) return total;
  if (!has_no_side_effects(working_folder, folder, index.value("canary", ""))) ++total.failed;
  for (const auto& [kind, tally] : kinds) {
    fmt::print("{}: {} passed, {} failed, {} skipped\n", kind, tally.passed, tally.failed,
               tally.skipped);
    total += tally;
  }
  if (!write_back.empty()) {
    std::ofstream(fs::path(write_back) / "index.json")
        << Json{{"format", 1}, {"files", written}}.dump();
    fmt::print("{} files written to {}\n", written.size(), write_back);
  }
  return total;
}

}  // namespace taper::oracle
