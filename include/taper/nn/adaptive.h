// AdaptiveLogSoftmaxWithLoss: softmax over many classes, grouped by frequency.
#pragma once
#include <cstdint>
#include <utility>

#include "taper/core/api.h"
#include "taper/nn/layer.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"

namespace TAPER_API taper {
namespace nn {

/// Options of AdaptiveLogSoftmaxWithLoss.
struct AdaptiveLogSoftmaxWithLossOptions {
  FloatArg div_value = 4.0;  ///< ratio of the hidden sizes of successive clusters
  bool head_bias = false;    ///< the head has a bias
  TAPER_FACTORY_OPTIONS
};

/// Efficient softmax over many classes (Grave et al., 2017). Classes are ordered by frequency,
/// most frequent first, and divided into clusters at `cutoffs`. The head computes scores of the
/// classes of the first cluster, the shortlist, and of the other clusters; each of these has a tail
/// of two linear layers, with in_features / div_value^(i + 1) hidden features for cluster i.
/// PyTorch: torch.nn.AdaptiveLogSoftmaxWithLoss.
///
/// The parameters of `head` and `tail` have the initial values of Linear.
class AdaptiveLogSoftmaxWithLoss : public Layer<AdaptiveLogSoftmaxWithLoss> {
 public:
  /// Throws ValueError unless `cutoffs` contains increasing integers in [1, n_classes - 1].
  AdaptiveLogSoftmaxWithLoss(IntArg in_features, IntArg n_classes, const Shape& cutoffs,
                             const AdaptiveLogSoftmaxWithLossOptions& options = {});

  std::int64_t in_features, n_classes;
  Shape cutoffs;  ///< followed by n_classes
  double div_value;
  bool head_bias;
  std::int64_t shortlist_size, n_clusters, head_size;
  Linear head;
  ModuleList tail;
  TAPER_LAYER(AdaptiveLogSoftmaxWithLoss)
  static constexpr const char* forward_signature = "input_, target_";

  /// Re-initializes all parameters from the default generator.
  void reset_parameters();
  /// Returns the log-probabilities of the target classes `(N)` and the mean of their negatives, for
  /// input `(N, in_features)` and i64 targets `(N)`, or `(in_features)` and `()`. Throws ShapeError
  /// if shapes do not match, IndexError for a target out of range.
  std::pair<Tensor, Tensor> forward(const Tensor& input, const Tensor& target) const;
  /// Returns the log-probabilities of all classes, `(N, n_classes)`, for input `(N, in_features)`.
  /// PyTorch: torch.nn.AdaptiveLogSoftmaxWithLoss.log_prob.
  Tensor log_prob(const Tensor& input) const;
  /// Returns the most probable class of each row of the input `(N, in_features)`: `(N)`. Computes
  /// the tails only for rows whose head selects a cluster.
  /// PyTorch: torch.nn.AdaptiveLogSoftmaxWithLoss.predict.
  Tensor predict(const Tensor& input) const;

 private:
  Tensor cluster_log_prob(std::int64_t cluster, const Tensor& input) const;
  Tensor full_log_prob(const Tensor& input, const Tensor& head_output) const;
};

}  // namespace nn
}  // namespace taper
