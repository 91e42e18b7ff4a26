#include "cases/case_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "cases/outcome.h"
#include "taper/io/load.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;

// Fields of a file's head; some are informative.
constexpr std::array kLayerHead = {"format", "version", "family", "torch",
                                   "seed",   "extra",   "cases"};
constexpr std::array kTrainingHead = {"format", "family", "torch",     "seed", "extra",
                                      "record", "note",   "stability", "next", "cases"};
// Cases of the training kit and of models.
constexpr std::array kKitHead = {"format", "version",  "family", "part",
                                 "seed",   "versions", "cases"};

template <std::size_t N>
void check_head(const Json& head, const std::array<const char*, N>& known) {
  for (const auto& [field, value] : head.items())
    if (std::find(known.begin(), known.end(), field) == known.end())
      throw MalformedCase("unknown field '" + field + "' in the head");
}

fs::path tensors_path(fs::path json_path) { return json_path.replace_extension(".safetensors"); }

/// Returns the code unit of the escape `\uXXXX` at `at`; 0 if there is none.
unsigned parse_unicode_escape(const std::string& text, std::size_t at) {
  if (text.compare(at, 2, "\\u") != 0 || text.size() < at + 6) return 0;
  const std::string digits = text.substr(at + 2, 4);
  if (digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos) return 0;
  return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
}

/// Replaces lone surrogates U+DC80 to U+DCFF, which stand for bytes and which the parser rejects.
std::string mark_raw_bytes(std::string text) {
  for (std::size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
    const unsigned unit = parse_unicode_escape(text, at);
    if (unit >= 0xd800 && unit < 0xdc00 && parse_unicode_escape(text, at + 6) >= 0xdc00) {
      at += 12;  // a pair
      continue;
    }
    if (unit >= 0xdc80 && unit <= 0xdcff) text.replace(at + 2, 2, "f7");
    at += unit ? 6 : 2;
  }
  return text;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw MalformedCase("cannot open the file");
  return mark_raw_bytes({std::istreambuf_iterator<char>(file), {}});
}

Json parse(const std::string& path) {
  // The depth is limited because cases are read recursively.
  constexpr int kMaxDepth = 200;
  return Json::parse(read_text(path), [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw MalformedCase("nested too deeply");
    return true;
  });
}

/// Returns true for a JSON file with the head of a case file, even if its tensors are missing, so
/// that this is reported.
bool is_case_file(const fs::path& path) {
  try {
    const Json head = parse(path.string());
    return head.is_object() && head.contains("family") && head.contains("cases");
  } catch (const std::exception&) { return false; }
}

Format format_of(const Json& head) {
  const Json& format = head.at("format");
  if (format == "taper-layer-cases" && head.at("version") == 1) {
    check_head(head, kLayerHead);
    return Format::layers;
  }
  if (format == "taper-kit-cases" && head.at("version") == 1) {
    check_head(head, kKitHead);
    return Format::kit;
  }
  if (format == "taper-model-cases" && head.at("version") == 1) {
    check_head(head, kKitHead);
    return Format::models;
  }
  if (format == "taper-dist-cases" && head.at("version") == 1) {
    check_head(head, kKitHead);
    return Format::dist;
  }
  if (format == 1) {
    check_head(head, kTrainingHead);
    return Format::training;
  }
  throw MalformedCase("unknown format " + format.dump());
}

}  // namespace

const Json& CaseFile::find_case(const std::string& id) const {
  for (const Json& test_case : cases)
    if (id_of(test_case) == id) return test_case;
  throw MalformedCase("no case " + id);
}

const std::string& id_of(const Json& test_case) {
  return test_case.at("id").get_ref<const std::string&>();
}

CaseFile read_case_file(const std::string& json_path) {
  const Json head = parse(json_path);
  if (!head.is_object()) throw MalformedCase("the head must be an object");
  CaseFile result;
  result.format = format_of(head);
  result.family = head.at("family");
  result.path = json_path;
  result.folder = json_path.substr(0, json_path.rfind('/') + 1);
  if (!head.at("cases").is_array()) throw MalformedCase("the cases must be a list");
  std::set<std::string> ids;
  for (const Json& test_case : head.at("cases")) {
    if (!test_case.is_object() || !test_case.contains("id") || !test_case.at("id").is_string())
      throw MalformedCase("case " + std::to_string(result.cases.size()) + " has no id");
    if (!ids.insert(id_of(test_case)).second)
      throw MalformedCase("duplicate case id " + id_of(test_case));
    result.cases.push_back(test_case);
  }
  const Value tensors = load_safetensors(tensors_path(json_path).string());
  for (const auto& [key, tensor] : tensors.as_dict())
    result.tensors.emplace(key.as_string(), tensor.as_tensor());
  return result;
}

OrderedJson ordered_field(const CaseFile& file, const std::string& id, const std::string& field) {
  const OrderedJson all = OrderedJson::parse(read_text(file.path));
  for (const OrderedJson& test_case : all.at("cases"))
    if (test_case.at("id") == id) return test_case.at(field);
  throw MalformedCase("no case " + id);
}

std::vector<std::string> case_files(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file() && entry.path().extension() == ".json" &&
        (fs::exists(tensors_path(entry.path())) || is_case_file(entry.path())))
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace taper::oracle
