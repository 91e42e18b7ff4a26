// PretrainedConfig: the options that the configurations of all models share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
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
  /// Names of the classes by index; empty: LABEL_0, LABEL_1, ...
  std::vector<std::string> id2label{};
  /// Loss of a classifier: "regression", "single_label_classification" or
  /// "multi_label_classification". Default: derived from num_labels and the dtype of the labels.
  std::optional<std::string> problem_type{};

  /// Calls `fields(key, field)` for each option that is stored under its own name.
  template <class Fields> void visit(const Fields& fields) {
    fields("initializer_range", initializer_range)("tie_word_embeddings", tie_word_embeddings);
    fields("pad_token_id", pad_token_id)("bos_token_id", bos_token_id);
    fields("eos_token_id", eos_token_id)("problem_type", problem_type);
  }
};

/// Reads the entries of a dict into fields of a configuration, whose values are the defaults:
///
///     ConfigReader read(config, "LlamaConfig");
///     read("vocab_size", vocab_size)("hidden_act", hidden_act);
///
/// None resets an optional field and leaves any other unchanged. Throws taper::TypeError if an
/// entry has another type than the field.
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
  /// Throws ValueError unless each size is between 1 and 2^31 - 1.
  void expect_sizes(std::initializer_list<std::pair<const char*, std::int64_t>> sizes) const;
  /// Throws ValueError unless the number of layers is between 0 and 10,000.
  void expect_layers(const char* key, std::int64_t count) const;
  /// Throws a ValueError about the configuration.
  [[noreturn]] void fail(const std::string& text) const;

 private:
  [[noreturn]] void fail_type(const char* key, const char* expected) const;
  /// Returns the entry of a key; null if it is absent or None.
  const taper::Value* find_value(const char* key) const;
  taper::Value config_;
  std::string name_;
};

/// Collects the fields of a configuration in a dict, which ConfigReader reads. Optional fields
/// without a value are omitted.
class ConfigWriter {
 public:
  template <class T> const ConfigWriter& operator()(const char* key, const T& field) const {
    if constexpr (std::is_same_v<T, TokenIds>)
      config_[key] = list_of(field);
    else if constexpr (std::is_same_v<T, taper::DType>)
      config_[key] = taper::Value(taper::name_of(field));
    else
      config_[key] = taper::Value(field);
    return *this;
  }
  template <class T>
  const ConfigWriter& operator()(const char* key, const std::optional<T>& field) const {
    return field ? (*this)(key, *field) : *this;
  }
  /// Writes the fields of PretrainedConfig.
  const ConfigWriter& operator()(const PretrainedConfig& config) const;
  const taper::Value& dict() const { return config_; }

 private:
  static taper::Value list_of(const TokenIds& ids);
  taper::Value config_ = taper::Value::dict();
};

/// Returns the dict of a configuration whose fields `visit` passes on.
template <class Config> taper::Value config_to_value(Config config, const char* model_type) {
  const ConfigWriter write;
  write("model_type", model_type)(static_cast<const PretrainedConfig&>(config));
  config.visit(write);
  return write.dict();
}

/// Returns the config.json of a folder. Throws taper::IoError if it cannot be read.
taper::Value read_config(const std::string& folder);

}  // namespace huggingface
