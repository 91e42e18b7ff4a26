// Losses of elements. `reduction` is "mean", "sum" or "none"; any other value throws ValueError.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/ops/elementwise_loss.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Losses of taper/ops/elementwise_loss.h. PyTorch: torch.nn.functional.binary_cross_entropy,
/// torch.nn.functional.poisson_nll_loss, torch.nn.functional.soft_margin_loss.
using taper::binary_cross_entropy;
using taper::poisson_nll_loss;
using taper::soft_margin_loss;
/// As taper::binary_cross_entropy_with_logits, but also throws ValueError if the shapes of input
/// and target differ. PyTorch: torch.nn.functional.binary_cross_entropy_with_logits.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        OptionalTensorRef weight = {},
                                        const std::string& reduction = "mean",
                                        OptionalTensorRef pos_weight = {});
/// Computes d^2 / 2 if |d| <= delta, otherwise delta * (|d| - delta / 2), for d = input - target.
/// Different shapes are broadcast, with a warning. `weight`, of the shape of the input, weights the
/// elements; "mean" divides by the number of elements. Throws ValueError if delta is not positive.
/// PyTorch: torch.nn.functional.huber_loss.
Tensor huber_loss(const Tensor& input, const Tensor& target, const std::string& reduction = "mean",
                  FloatArg delta = 1.0, OptionalTensorRef weight = {});
/// As taper::kl_div; `reduction` can also be "batchmean", the sum divided by the size of dimension
/// 0. "mean", which divides by the number of elements, causes a warning.
/// PyTorch: torch.nn.functional.kl_div.
Tensor kl_div(const Tensor& input, const Tensor& target, const std::string& reduction = "mean",
              bool log_target = false);
/// Computes the negative log likelihood of `target` under normal distributions with the
/// expectation `input` and variance `var`: (log(var) + (input - target)^2 / var) / 2, where var is
/// at least `eps`; `full` adds log(2 pi) / 2. `var` has the shape of the input, possibly with one
/// dimension of size 1 or without the last dimension. Throws ValueError for another shape and for a
/// negative variance. PyTorch: torch.nn.functional.gaussian_nll_loss.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var,
                         bool full = false, FloatArg eps = 1e-6,
                         const std::string& reduction = "mean");
/// As gaussian_nll_loss above, with the same variance for all elements.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, FloatArg var, bool full = false,
                         FloatArg eps = 1e-6, const std::string& reduction = "mean");

}  // namespace nn::functional
}  // namespace taper
