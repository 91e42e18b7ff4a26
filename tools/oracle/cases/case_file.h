// A family of cases: <family>.json and <family>.safetensors.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "taper/core/tensor.h"

namespace taper::oracle {

using Json = nlohmann::json;
/// JSON with the keys of objects in the order of the file.
using OrderedJson = nlohmann::ordered_json;

enum class Format : unsigned char { layers, training, kit, models, dist };

struct CaseFile {
  Format format = Format::layers;
  std::string family;
  std::string path{}, folder{};  ///< the JSON file, and its directory with a final slash
  std::string write_back{};      ///< directory for the files that cases write; empty: temporary
  std::vector<Json> cases;
  std::map<std::string, Tensor> tensors;  ///< by name: "<id>/<role>"

  /// Returns a case. Throws MalformedCase for an unknown id.
  const Json& find_case(const std::string& id) const;
};

/// Returns the `id` of a case.
const std::string& id_of(const Json& one);
/// Reads a JSON file and its tensors. In texts, the code points U+F780 to U+F7FF stand for the
/// bytes 0x80 to 0xff, which the file contains as lone surrogates. Throws MalformedCase if the head
/// does not have a known format.
CaseFile read_case_file(const std::string& json_path);

/// Reads a field of a case again from the file, with the keys of objects in their order.
OrderedJson ordered_field(const CaseFile& file, const std::string& id, const std::string& field);

/// Returns the sorted paths of the case files under a directory, recursively.
std::vector<std::string> case_files(const std::string& directory);

}  // namespace taper::oracle
