// A family of cases: <family>.json and <family>.safetensors.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "taper/core/tensor.h"

namespace taper::oracle {

using Json = nlohmann::json;

enum class Format : unsigned char { layers, training };

struct CaseFile {
  Format format = Format::layers;
  std::string family;
  std::vector<Json> cases;
  std::map<std::string, Tensor> tensors;  ///< "<id>/<role>"

  /// Throws BadCase if there is no case of this id.
  const Json& case_of(const std::string& id) const;
};

/// The `id` of a case.
const std::string& id_of(const Json& one);
/// Reads the pair. Throws BadCase for a head that is not of a known format.
CaseFile read_case_file(const std::string& json_path);

/// Paths of the case files under a directory, at any depth, sorted.
std::vector<std::string> case_files(const std::string& directory);

}  // namespace taper::oracle
