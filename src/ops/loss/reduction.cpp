#include "ops/loss/reduction.h"

#include "taper/core/tensor.h"

namespace taper {

Tensor reduce_terms(const Tensor& terms, Reduction::Reduction reduction) {
  if (reduction == Reduction::Mean) return terms.mean();
  return reduction == Reduction::Sum ? terms.sum() : terms;
}

}  // namespace taper
