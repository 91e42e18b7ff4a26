// Metrics of texts: BLEU, word and character errors, edit distance, perplexity.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/not_bool.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Base class of metrics of UTF-8 texts: predictions, and references in the same order. Texts are
/// split at white space.
class TextMetric : public Metric {
 public:
  /// Adds predictions and their references. Throws ValueError if their numbers differ.
  void update(const std::vector<std::string>& preds, const std::vector<std::string>& target);
  void update(const std::string& preds, const std::string& target) {
    update(std::vector{preds}, std::vector{target});
  }
  Tensor compute() const { return compute_value().as_tensor(); }

 protected:
  virtual void add(const std::vector<std::string>& preds,
                   const std::vector<std::string>& target) = 0;
  void update_state(const Values& batch) final;
};

/// Base class of the error rates of words or characters. State: `errors`, `total`.
class ErrorRate : public TextMetric {
 public:
  std::string_view type_name() const override { return name_; }

 protected:
  enum class Unit : std::uint8_t { word, character };
  enum class Length : std::uint8_t { target, longest };
  ErrorRate(std::string_view name, Unit unit, Length length);
  void add(const std::vector<std::string>& preds, const std::vector<std::string>& target) override;
  Value compute_state() const override;

 private:
  std::string_view name_;
  Unit unit_;
  Length length_;
};

/// Edit distance of words, divided by the number of words of the references.
/// PyTorch: torchmetrics.text.WordErrorRate.
class WordErrorRate : public ErrorRate {
 public:
  WordErrorRate() : ErrorRate("WordErrorRate", Unit::word, Length::target) {}
};
/// Edit distance of characters, divided by the number of characters of the references.
/// PyTorch: torchmetrics.text.CharErrorRate.
class CharErrorRate : public ErrorRate {
 public:
  CharErrorRate() : ErrorRate("CharErrorRate", Unit::character, Length::target) {}
};
/// Edit distance of words, divided by the number of words of the longer text.
/// PyTorch: torchmetrics.text.MatchErrorRate.
class MatchErrorRate : public ErrorRate {
 public:
  MatchErrorRate() : ErrorRate("MatchErrorRate", Unit::word, Length::longest) {}
};

/// Base class of WordInfoLost and WordInfoPreserved. State: `errors`, `target_total`,
/// `preds_total`.
class WordInfo : public TextMetric {
 protected:
  WordInfo();
  void add(const std::vector<std::string>& preds, const std::vector<std::string>& target) override;
  /// Returns the product of the shares of words of both that are preserved.
  Tensor preserved() const;
};
/// 1 - WordInfoPreserved. PyTorch: torchmetrics.text.WordInfoLost.
class WordInfoLost : public WordInfo {
 public:
  std::string_view type_name() const override { return "WordInfoLost"; }

 protected:
  Value compute_state() const override { return 1 - preserved(); }
};
/// Product of the shares of the words of references and predictions that are preserved.
/// PyTorch: torchmetrics.text.WordInfoPreserved.
class WordInfoPreserved : public WordInfo {
 public:
  std::string_view type_name() const override { return "WordInfoPreserved"; }

 protected:
  Value compute_state() const override { return preserved(); }
};

/// Options of EditDistance.
struct EditDistanceOptions {
  std::int64_t substitution_cost = 1;  ///< cost of a replaced character
  std::string reduction = "mean";      ///< "mean", "sum", or "none": one distance per text
};

/// Number of characters to insert, delete and replace. Throws ValueError for invalid options.
/// PyTorch: torchmetrics.text.EditDistance.
class EditDistance : public TextMetric {
 public:
  explicit EditDistance(const EditDistanceOptions& options = {});
  std::string_view type_name() const override { return "EditDistance"; }

 protected:
  void add(const std::vector<std::string>& preds, const std::vector<std::string>& target) override;
  Value compute_state() const override;

 private:
  EditDistanceOptions options_;
};

/// Options of BLEUScore.
struct BLEUScoreOptions {
  std::int64_t n_gram = 4;        ///< length of the longest sequences of words
  bool smooth = false;            ///< adds 1 to the counts of sequences of two and more words
  std::vector<double> weights{};  ///< of the sequences by length; default: equal
};

/// BLEU score of translations with one or more references each. State: `preds_len`, `target_len`,
/// `numerator`, `denominator`. Throws ValueError for invalid options.
/// PyTorch: torchmetrics.text.BLEUScore.
class BLEUScore : public Metric {
 public:
  explicit BLEUScore(const BLEUScoreOptions& options = {});
  std::string_view type_name() const override { return "BLEUScore"; }
  /// Adds translations and the references of each. Throws ValueError if their numbers differ, or a
  /// translation does not have a reference.
  void update(const std::vector<std::string>& preds,
              const std::vector<std::vector<std::string>>& target);
  Tensor compute() const { return compute_value().as_tensor(); }

 protected:
  void update_state(const Values& batch) override;
  Value compute_state() const override;
  /// Splits a text into words.
  virtual std::vector<std::string> tokenize(const std::string& text) const;

 private:
  BLEUScoreOptions options_;
};

/// Options of SacreBLEUScore.
struct SacreBLEUScoreOptions {
  std::int64_t n_gram = 4;        ///< length of the longest sequences of words
  bool smooth = false;            ///< adds 1 to the counts of sequences of two and more words
  std::string tokenize = "13a";   ///< "none", "13a", "zh" or "char"
  bool lowercase = false;         ///< converts ASCII letters to lower case
  std::vector<double> weights{};  ///< of the sequences by length; default: equal
};

/// BLEU score with the tokenizers of SacreBLEU. Throws ValueError for invalid options.
/// PyTorch: torchmetrics.text.SacreBLEUScore.
class SacreBLEUScore : public BLEUScore {
 public:
  explicit SacreBLEUScore(const SacreBLEUScoreOptions& options = {});
  std::string_view type_name() const override { return "SacreBLEUScore"; }

 protected:
  std::vector<std::string> tokenize(const std::string& text) const override;

 private:
  std::string tokenize_;
  bool lowercase_;
};

/// Options of Perplexity.
struct PerplexityOptions {
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
};

/// exp of the mean negative log-likelihood of tokens, of logits `(N, T, V)` and targets `(N, T)`.
/// `update` throws ShapeError for other shapes, DTypeError unless the targets are i64, ValueError
/// for targets that are neither in [0, V) nor ignored. PyTorch: torchmetrics.text.Perplexity.
class Perplexity : public ScoreMetric {
 public:
  explicit Perplexity(const PerplexityOptions& options = {});
  std::string_view type_name() const override { return "Perplexity"; }

 protected:
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  std::optional<std::int64_t> ignore_index_;
};

}  // namespace metrics
}  // namespace taper
