#pragma once
#include "ops/linalg/matrix.h"

namespace taper {

enum class AddTo { matrix, batches, vector };

/// addmm, baddbmm and addmv: beta * input + alpha * (mat1 @ mat2) with `input` broadcast.
template <AddTo A> struct AddProduct {
  Scalar beta = 1, alpha = 1;
  TAPER_ATTRIBUTES(beta, alpha)
  static constexpr OpInfo op{.name = A == AddTo::matrix    ? "addmm"
                                     : A == AddTo::batches ? "baddbmm"
                                                           : "addmv",
                             .node = A == AddTo::matrix    ? "AddmmBackward0"
                                     : A == AddTo::batches ? "BaddbmmBackward0"
                                                           : "AddmvBackward0",
                             .inputs = A == AddTo::matrix    ? "input mat1 mat2"
                                       : A == AddTo::batches ? "input batch1 batch2"
                                                             : "input mat vec",
                             .dtypes = DTypeSet::no_bool,
                             .saved = in(1) | in(2),
                             .autocast = AutocastPolicy::lower_precision,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<AddProduct>& b) const;
  double flops(const KernelArgs& k) const;
};

using Addmm = AddProduct<AddTo::matrix>;
using Baddbmm = AddProduct<AddTo::batches>;
using Addmv = AddProduct<AddTo::vector>;

}  // namespace taper
