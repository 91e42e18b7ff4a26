// Task: kind of the labels of a network, and how its outputs are judged.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "taper/core/tensor.h"

namespace training {

/// How outputs are judged. `accuracy`: the fraction of correct classes. `r2`: the coefficient of
/// determination, 1 - (mean squared error) / (variance of the labels).
enum class Score : unsigned char { accuracy, r2 };
/// Returns the name in files: "accuracy" or "r2".
std::string_view name_of(Score score);
/// Returns a score as text, such as "97.1 %" or "0.543", right-aligned to 7 columns.
std::string score_text(Score score, double value);

/// Classification if the labels are integers, which are indices of classes, and regression if they
/// are floating-point numbers.
class Task {
 public:
  explicit Task(const taper::Tensor& labels);
  Score score() const { return score_; }

  /// Returns the loss of outputs: mse_loss of (N, 1) in a regression, otherwise nll_loss of
  /// log-probabilities (N, classes) or cross_entropy of scores (N, classes). The first outputs
  /// determine which of the last two applies.
  taper::Tensor loss(const taper::Tensor& outputs, const taper::Tensor& labels);
  /// Returns the sum of a value per example, whose mean over a set is the score: 1 for a correct
  /// class, or 1 - error^2 / `variance`, the variance of the labels of the set.
  double sum_of_scores(const taper::Tensor& outputs, const taper::Tensor& labels,
                       double variance) const;

 private:
  enum class OutputKind : unsigned char { unknown, log_probabilities, scores };

  Score score_;
  OutputKind output_kind_ = OutputKind::unknown;
};

/// Returns outputs (N, 1) of a regression as float64 numbers (N) in the unit of the target: the
/// labels were (target - mean) / scale.
taper::Tensor in_target_unit(const taper::Tensor& outputs, double scale, double mean);
/// Returns the biased variance of numbers; 0 for classes.
double variance_of(const taper::Tensor& labels);

}  // namespace training
