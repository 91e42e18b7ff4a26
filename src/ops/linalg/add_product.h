#pragma once
#include "ops/linalg/matrix.h"

namespace taper {

enum class AddProductKind { addmm, baddbmm, addmv };

/// addmm, baddbmm and addmv: beta * input + alpha * (mat1 @ mat2) with `input` broadcast.
template <AddProductKind A> struct AddProduct {
  Scalar beta = 1, alpha = 1;
  TAPER_ATTRIBUTES(beta, alpha)
  static constexpr OpInfo op{.name = A == AddProductKind::addmm     ? "addmm"
                                     : A == AddProductKind::baddbmm ? "baddbmm"
                                                                    : "addmv",
                             .node = A == AddProductKind::addmm     ? "AddmmBackward0"
                                     : A == AddProductKind::baddbmm ? "BaddbmmBackward0"
                                                                    : "AddmvBackward0",
                             .inputs = A == AddProductKind::addmm     ? "input mat1 mat2"
                                       : A == AddProductKind::baddbmm ? "input batch1 batch2"
                                                                      : "input mat vec",
                             .dtypes = DTypeSet::no_bool,
                             .saved = in(1) | in(2),
                             .autocast = A == AddProductKind::addmv
                                             ? AutocastPolicy::passthrough
                                             : AutocastPolicy::lower_precision,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<AddProduct>& b) const;
  double flops(const KernelArgs& k) const;
};

using Addmm = AddProduct<AddProductKind::addmm>;
using Baddbmm = AddProduct<AddProductKind::baddbmm>;
using Addmv = AddProduct<AddProductKind::addmv>;

/// Returns t * by; t itself if `by` is 1.
inline Tensor multiply_by(const Tensor& t, const Scalar& by) {
  return by == Scalar(1) ? t : t.mul(by);
}

}  // namespace taper
