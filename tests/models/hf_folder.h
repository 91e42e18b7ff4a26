// Folders of tiny models that Hugging Face's transformers wrote, and what they compute.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "huggingface/json.h"
#include "support/temp_dir.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper_paths.h"

namespace taper::test {

inline std::string hf_folder(const std::string& model) {
  return std::string(TAPER_TEST_DATA) + "/hf_models/" + model;
}

/// Returns a result of a model: what it computed in Python.
inline Value hf_result(const std::string& model, const std::string& key) {
  static const Value results =
      huggingface::read_json(std::string(TAPER_TEST_DATA) + "/hf_models/results.json");
  return results[model][key];
}

/// Converts nested lists of numbers to a tensor.
inline Tensor to_tensor(const Value& value) {
  if (value.is_float()) return tensor(value.as_double());
  if (value.is_int()) return tensor(value.as_int());
  std::vector<Tensor> items;
  for (const Value& item : value.as_sequence()) items.push_back(to_tensor(item));
  return stack(items);
}

inline Tensor two_texts() { return tensor({{5, 17, 3, 29, 11, 8}, {23, 9, 30, 4, 12, 1}}); }
/// Prompts of which the first is padded on the left with 0.
inline Tensor padded_texts() { return tensor({{0, 0, 5, 17, 3, 29}, {23, 9, 30, 4, 12, 1}}); }

inline void expect_near(const Tensor& actual, const Value& expected, double tolerance = 2e-5) {
  const Tensor wanted = to_tensor(expected);
  ASSERT_EQ(actual.shape(), wanted.shape());
  EXPECT_LE((actual.detach() - wanted).abs().max().item<double>(),
            tolerance * wanted.abs().max().item<double>());
}

/// A copy of a folder whose files can be changed.
class HfFolderCopy {
 public:
  explicit HfFolderCopy(const std::string& model) {
    std::filesystem::copy(hf_folder(model), dir_.path());
    for (const auto& file : std::filesystem::directory_iterator(dir_.path()))
      std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  const std::string& path() const { return dir_.path(); }
  std::string operator/(std::string_view name) const { return dir_ / name; }
  void write(std::string_view name, const std::string& text) const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
  }
  void remove(std::string_view name) const { std::filesystem::remove(dir_ / name); }
  /// Replaces the first occurrence of `from` in a file.
  void replace(std::string_view name, const std::string& from, const std::string& to) const {
    std::ifstream file(dir_ / name, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(name, text.replace(at, from.size(), to));
  }

 private:
  TempDir dir_;
};

}  // namespace taper::test
