#include "ops/loss/reduction.h"

#include "taper/core/tensor.h"

namespace taper {

Tensor reduce_terms(const Tensor& terms, Reduction reduction) {
  if (reduction == Reduction::mean) return terms.mean();
  return reduction == Reduction::sum ? terms.sum() : terms;
}

}  // namespace taper
