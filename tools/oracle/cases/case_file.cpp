#include "cases/case_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "cases/outcome.h"
#include "cases/safetensors.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;

// Fields of a head; some are remarks for people.
constexpr std::array kLayerHead = {"format", "version", "family", "torch",
                                   "seed",   "extra",   "cases"};
constexpr std::array kTrainingHead = {"format", "family", "torch",     "seed", "extra",
                                      "record", "note",   "stability", "next", "cases"};

template <std::size_t N>
void check_head(const Json& head, const std::array<const char*, N>& known) {
  for (const auto& [field, value] : head.items())
    if (std::find(known.begin(), known.end(), field) == known.end())
      throw BadCase("unknown field '" + field + "' in the head");
}

Format format_of(const Json& head) {
  const Json& format = head.at("format");
  if (format == "taper-layer-cases" && head.at("version") == 1) {
    check_head(head, kLayerHead);
    return Format::layers;
  }
  if (format == 1) {
    check_head(head, kTrainingHead);
    return Format::training;
  }
  throw BadCase("unknown format " + format.dump());
}

}  // namespace

const Json& CaseFile::case_of(const std::string& id) const {
  for (const Json& one : cases)
    if (one.at("id") == id) return one;
  throw BadCase("no case " + id);
}

CaseFile read_case_file(const std::string& json_path) {
  std::ifstream file(json_path);
  if (!file) throw BadCase("cannot open it");
  const Json head = Json::parse(file);
  CaseFile result;
  result.format = format_of(head);
  result.family = head.at("family");
  for (const Json& one : head.at("cases")) result.cases.push_back(one);
  result.tensors = read_safetensors(fs::path(json_path).replace_extension(".safetensors").string());
  return result;
}

std::vector<std::string> case_files(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file() && entry.path().extension() == ".json" &&
        fs::exists(fs::path(entry.path()).replace_extension(".safetensors")))
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace taper::oracle
