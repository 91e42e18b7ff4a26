// WeightInitializer: the initial weights of the models.
#pragma once
#include <optional>
#include <vector>

#include "taper/nn/module.h"

namespace huggingface {

/// Initializes the weights of Linear, Conv2d and Embedding from the normal distribution with
/// standard deviation `std`, biases and padding rows with 0, and LayerNorm with weight 1 and bias
/// 0. Only the tensors in `selected` are changed, if it is given. Hugging Face:
/// PreTrainedModel._init_weights.
class WeightInitializer {
 public:
  explicit WeightInitializer(double std,
                             std::optional<std::vector<taper::Tensor>> selected = std::nullopt)
      : std_(std), selected_(std::move(selected)) {}

  /// Initializes a Linear, Conv2d, Embedding or LayerNorm; leaves other modules unchanged.
  void operator()(taper::nn::Module& layer) const;

  void normal_(const taper::Tensor& t) const { normal_(t, std_); }
  void normal_(const taper::Tensor& t, double std) const;
  /// Draws from the normal distribution, truncated to [-2, 2].
  void trunc_normal_(const taper::Tensor& t) const;
  void zeros_(const taper::Tensor& t) const;
  void ones_(const taper::Tensor& t) const;

 private:
  bool is_selected(const taper::Tensor& t) const;
  double std_;
  std::optional<std::vector<taper::Tensor>> selected_;
};

}  // namespace huggingface
