#include "runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "cases/case.h"
#include "cases/outcome.h"
#include "files/corpus.h"
#include "kinds/dispatch.h"

namespace taper::oracle {
namespace {

bool is_selected(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// Runs one case and counts its result.
void run_one(const CaseFile& file, const Json& fields, bool verbose, CaseCounts& tally) {
  Case c(file, fields);
  try {
    run_case(c);
    c.finish();
  } catch (const Unsupported& missing) {
    if (c.failures().empty()) {
      ++tally.skipped;
      ++tally.missing[missing.what()];
      if (verbose) fmt::print("  skipped {}: no {}\n", c.id(), missing.what());
      return;
    }
    // A part of the case that was compared has failed.
  } catch (const Json::exception& error) {
    c.fail(fmt::format("malformed case: {}", error.what()));
  } catch (const std::exception& error) { c.fail(error.what()); }
  if (c.failures().empty()) {
    ++tally.passed;
    if (verbose) fmt::print("  passed {}\n", c.id());
    return;
  }
  ++tally.failed;
  fmt::print("  FAILED {}/{}\n", file.family, c.id());
  for (const std::string& text : c.failures()) fmt::print("    {}\n", text);
}

void report(const std::string& family, const CaseCounts& tally) {
  fmt::print("{}: {} passed, {} failed, {} skipped\n", family, tally.passed, tally.failed,
             tally.skipped);
  std::string list;
  for (const auto& [name, count] : tally.missing)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", name, count);
  if (!list.empty()) fmt::print("  not supported: {}\n", list);
}

CaseCounts run_file(const std::string& path, const Selection& selection) {
  CaseCounts tally;
  CaseFile file;
  try {
    file = read_case_file(path);
    file.write_back = selection.write_back;
  } catch (const std::exception& error) {
    fmt::print("  FAILED {}: {}\n", path, error.what());
    ++tally.failed;
    return tally;
  }
  if (!is_selected(selection.families, file.family)) return tally;
  for (const Json& fields : file.cases)
    if (is_selected(selection.cases, id_of(fields)))
      run_one(file, fields, selection.verbose, tally);
  if (tally.passed + tally.failed + tally.skipped) report(file.family, tally);
  return tally;
}

CaseCounts run_corpus_file(const std::string& index, const Selection& selection) {
  try {
    return run_corpus(index, selection);
  } catch (const std::exception& error) {
    fmt::print("  FAILED {}: {}\n", index, error.what());
    CaseCounts tally;
    tally.failed = 1;
    return tally;
  }
}

}  // namespace

CaseCounts& CaseCounts::operator+=(const CaseCounts& other) {
  passed += other.passed, failed += other.failed, skipped += other.skipped;
  for (const auto& [name, count] : other.missing) missing[name] += count;
  return *this;
}

CaseCounts run_directory(const std::string& directory, const Selection& selection) {
  if (!std::filesystem::is_directory(directory))
    throw std::runtime_error(directory + " is not a directory");
  CaseCounts total;
  const std::vector<std::string> indices = find_corpora(directory);
  const auto is_in_corpus = [&](const std::string& path) {
    const std::string absolute = std::filesystem::absolute(path).lexically_normal().string();
    return std::any_of(indices.begin(), indices.end(), [&](const std::string& index) {
      return absolute.starts_with(index.substr(0, index.rfind('/') + 1));
    });
  };
  for (const std::string& path : case_files(directory))
    if (!is_in_corpus(path)) total += run_file(path, selection);
  for (const std::string& index : indices) total += run_corpus_file(index, selection);
  if (total.passed + total.failed + total.skipped == 0)
    throw std::runtime_error("no such case under " + directory);
  return total;
}

}  // namespace taper::oracle
