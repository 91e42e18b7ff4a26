// Options that metrics of classification share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace metrics {

/// Kind of a classification. Binary: predictions and targets `(N, ...)`. Multiclass: labels
/// `(N, ...)`, or scores `(N, C, ...)` and labels `(N, ...)`. Multilabel: `(N, L, ...)`.
enum class Task : std::uint8_t { binary, multiclass, multilabel };

/// Options of binary metrics of counts. Floating-point predictions are probabilities, or logits if
/// a value of the batch is outside of [0, 1]; integers are labels.
struct BinaryOptions {
  double threshold = 0.5;                      ///< a greater probability is a positive prediction
  std::string multidim_average = "global";     ///< "samplewise": one value per sample
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  bool validate_args = true;                   ///< checks options, shapes and values of targets
  double zero_division = 0;                    ///< score of a division by zero: 0 or 1
};

/// Options of multiclass metrics of counts.
struct MulticlassOptions {
  std::int64_t top_k = 1;  ///< a prediction is correct if the target has one of the k best scores
  /// "micro": of all elements; "macro": the mean of the classes; "weighted": weighted by the
  /// number of targets; "none": one value per class.
  std::string average = "macro";
  std::string multidim_average = "global";     ///< "samplewise": one value per sample
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  bool validate_args = true;                   ///< checks options, shapes and values of targets
  double zero_division = 0;                    ///< score of a division by zero: 0 or 1
};

/// Options of multilabel metrics of counts.
struct MultilabelOptions {
  double threshold = 0.5;                      ///< a greater probability is a positive prediction
  std::string average = "macro";               ///< as in MulticlassOptions, over the labels
  std::string multidim_average = "global";     ///< "samplewise": one value per sample
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  bool validate_args = true;                   ///< checks options, shapes and values of targets
  double zero_division = 0;                    ///< score of a division by zero: 0 or 1
};

}  // namespace metrics
}  // namespace taper
