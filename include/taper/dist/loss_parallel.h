// Cross entropy of scores whose classes are divided among ranks.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"
#include "taper/nn/detail/cross_entropy_function.h"
#include "taper/nn/functional/loss.h"

namespace TAPER_API taper {
namespace distributed {
namespace functional {

/// Computes nn::functional::cross_entropy of scores `(C)`, `(N, C)` or `(N, C, d1, ...)` of which
/// each rank passes its classes: consecutive ranges in rank order, such as the result of a
/// ColwiseParallel layer. `target` and the class weights `(C)` are whole. Every rank receives the
/// loss, and the gradient of its scores. Only maxima and sums over classes are communicated.
///
/// Throws NotImplementedError for label smoothing and class probabilities, and the errors of
/// cross_entropy. Megatron-LM: vocab_parallel_cross_entropy.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const nn::functional::CrossEntropyFuncOptions& options = {},
                     const Group& group = nullptr);

}  // namespace functional

/// Scope of loss_parallel.
class [[nodiscard]] LossParallelScope {
 public:
  explicit LossParallelScope(const Group& group);
  ~LossParallelScope();
  LossParallelScope(const LossParallelScope&) = delete;
  LossParallelScope& operator=(const LossParallelScope&) = delete;

 private:
  nn::detail::CrossEntropyFunction function_;
  const nn::detail::CrossEntropyFunction* previous_;
};

/// Makes nn::functional::cross_entropy, and nn::CrossEntropyLoss, of the current thread treat their
/// input as functional::cross_entropy does, while the returned object exists:
///
///   const auto scope = distributed::loss_parallel();
///   F::cross_entropy(scores, target).backward();
///
/// PyTorch: torch.distributed.tensor.parallel.loss_parallel.
inline LossParallelScope loss_parallel(const Group& group = nullptr) {
  return LossParallelScope(group);
}

}  // namespace distributed
}  // namespace taper
