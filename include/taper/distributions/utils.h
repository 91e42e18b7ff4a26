// Functions that distributions share. PyTorch: torch.distributions.utils.
#pragma once
#include <initializer_list>
#include <span>
#include <vector>

#include "taper/distributions/tensor_or_number.h"

namespace TAPER_API taper {
namespace distributions {
namespace utils {

/// Broadcasts tensors and numbers against each other. Numbers are converted to the dtype of the
/// first tensor, or to default_dtype() if all are numbers.
/// PyTorch: torch.distributions.utils.broadcast_all.
[[nodiscard]] std::vector<Tensor> broadcast_all(std::span<const TensorOrNumber> values);
[[nodiscard]] std::vector<Tensor> broadcast_all(std::initializer_list<TensorOrNumber> values);
/// Returns the probabilities of logits: sigmoid if `is_binary` is true, otherwise the softmax of
/// the last dimension. PyTorch: torch.distributions.utils.logits_to_probs.
Tensor logits_to_probs(const Tensor& logits, bool is_binary = false);
/// Clamps probabilities to [eps, 1 - eps], where eps is that of the dtype.
/// PyTorch: torch.distributions.utils.clamp_probs.
Tensor clamp_probs(const Tensor& probs);
/// Returns the logits of probabilities: log(p / (1 - p)) if `is_binary` is true, otherwise log(p).
/// PyTorch: torch.distributions.utils.probs_to_logits.
Tensor probs_to_logits(const Tensor& probs, bool is_binary = false);
/// Returns the lower triangles of matrices `(..., D, D)` as vectors, row by row, up to diagonal
/// `diag`. Throws ValueError if `diag` is not in [-D, D). PyTorch:
/// torch.distributions.utils.tril_matrix_to_vec.
Tensor tril_matrix_to_vec(const Tensor& mat, IntArg diag = 0);
/// Returns lower triangular matrices `(..., D, D)` with the given elements, the inverse of
/// tril_matrix_to_vec. Throws ValueError if the size is not that of a triangle.
/// PyTorch: torch.distributions.utils.vec_to_tril_matrix.
Tensor vec_to_tril_matrix(const Tensor& vec, IntArg diag = 0);

}  // namespace utils
}  // namespace distributions
}  // namespace taper
