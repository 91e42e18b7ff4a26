// Losses that only nn::functional has, where they are documented. `reduction` is "mean", "sum" or
// "none"; any other value throws ValueError.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/optional_tensor.h"

namespace taper {
class Tensor;

Tensor nll_loss(const Tensor& input, const Tensor& target, OptionalTensorRef weight,
                std::int64_t ignore_index, const std::string& reduction);
Tensor cross_entropy(const Tensor& input, const Tensor& target, OptionalTensorRef weight,
                     std::int64_t ignore_index, const std::string& reduction);
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, OptionalTensorRef weight,
                            const std::string& reduction);
/// Throws NotImplementedError unless both are floating-point tensors.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const std::string& reduction,
                      double beta);
/// Throws NotImplementedError unless both are floating-point tensors.
Tensor huber_loss(const Tensor& input, const Tensor& target, const std::string& reduction,
                  double delta);
Tensor soft_margin_loss(const Tensor& input, const Tensor& target, const std::string& reduction);
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const std::string& reduction);
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   OptionalTensorRef weight, const std::string& reduction);
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, std::int64_t p, double margin,
                         OptionalTensorRef weight, const std::string& reduction);

}  // namespace taper
