// PretrainedConfig: the options that the configurations of all models share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/dtype.h"
#include "taper/core/value.h"

namespace huggingface {

/// Ids of tokens: one id, or a list.
class TokenIds : public std::vector<std::int64_t> {
 public:
  TokenIds() = default;
  TokenIds(std::int64_t id) : vector{id} {}
  TokenIds(std::initializer_list<std::int64_t> ids) : vector(ids) {}
  TokenIds(std::vector<std::int64_t> ids) : vector(std::move(ids)) {}
};

/// Options of a model that every configuration has. Hugging Face: PretrainedConfig.
struct PretrainedConfig {
  double initializer_range = 0.02;  ///< standard deviation of the initial weights
  bool tie_word_embeddings = true;  ///< the head uses the weight of the input embeddings
  std::optional<std::int64_t> pad_token_id{}, bos_token_id{};
  TokenIds eos_token_id{};              ///< tokens that end a sequence; empty: none
  std::optional<taper::DType> dtype{};  ///< dtype of the stored weights
  std::int64_t num_labels = 2;          ///< outputs of a classifier
  /// Loss of a classifier: "regression", "single_label_classification" or
  /// "multi_label_classification". Default: derived from num_labels and the dtype of the labels.
  std::optional<std::string> problem_type{};
};

/// Reads the entries of a dict into fields of a configuration, whose values are the defaults:
///
///     ConfigReader read(config, "LlamaConfig");
///     read("vocab_size", vocab_size)("hidden_act", hidden_act);
///
/// An optional field is reset by None. Throws taper::TypeError if an entry has another type than
/// the field, and taper::ValueError if a size is negative.
class ConfigReader {
 public:
  /// Throws TypeError unless `config` is a dict.
  ConfigReader(const taper::Value& config, std::string name);

  const ConfigReader& operator()(const char* key, std::int64_t& field) const;
  const ConfigReader& operator()(const char* key, double& field) const;
  const ConfigReader& operator()(const char* key, bool& field) const;
  const ConfigReader& operator()(const char* key, std::string& field) const;
  const ConfigReader& operator()(const char* key, TokenIds& field) const;
  const ConfigReader& operator()(const char* key, taper::DType& field) const;
  template <class T>
  const ConfigReader& operator()(const char* key, std::optional<T>& field) const {
    const taper::Value* entry = find(key);
    if (!entry) return *this;
    T value{};
    field.reset();
    if (!entry->is_none()) (*this)(key, value), field = std::move(value);
    return *this;
  }
  /// Reads the fields of PretrainedConfig, as versions 4 and 5 of transformers write them.
  const ConfigReader& operator()(PretrainedConfig& config) const;

  /// Returns the entry of a key; null if it is absent.
  const taper::Value* find(const char* key) const { return config_.find(key); }
  /// Throws ValueError if `model_type` is present and not the given one.
  void expect_model_type(const char* model_type) const;
  /// Throws NotImplementedError if the entry is true.
  void reject_if_true(const char* key) const;
  /// Throws a ValueError about the configuration.
  [[noreturn]] void fail(const std::string& text) const;

 private:
  [[noreturn]] void fail_type(const char* key, const char* expected) const;
  taper::Value config_;
  std::string name_;
};

/// Returns the config.json of a folder. Throws taper::IoError if it cannot be read.
taper::Value read_config(const std::string& folder);

}  // namespace huggingface
