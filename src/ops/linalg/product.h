#pragma once
#include "ops/linalg/matrix.h"

namespace taper {

enum class ProductKind { matrices, batches, matrix_vector, vectors };

/// mm, bmm, mv and dot: products of operands of fixed ranks.
template <ProductKind P> struct Product {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = P == ProductKind::matrices        ? "mm"
                                     : P == ProductKind::batches       ? "bmm"
                                     : P == ProductKind::matrix_vector ? "mv"
                                                                       : "dot",
                             .node = P == ProductKind::matrices        ? "MmBackward0"
                                     : P == ProductKind::batches       ? "BmmBackward0"
                                     : P == ProductKind::matrix_vector ? "MvBackward0"
                                                                       : "DotBackward0",
                             .inputs = P == ProductKind::matrix_vector ? "input vec"
                                       : P == ProductKind::vectors     ? "input tensor"
                                                                       : "input mat2",
                             .dtypes = DTypeSet::no_bool,
                             .saved = in(0) | in(1),
                             .autocast = P == ProductKind::matrices || P == ProductKind::batches
                                             ? AutocastPolicy::lower_precision
                                             : AutocastPolicy::passthrough,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Product>& b) const;
  double flops(const KernelArgs& k) const;
};

using Mm = Product<ProductKind::matrices>;
using Bmm = Product<ProductKind::batches>;
using Mv = Product<ProductKind::matrix_vector>;
using Dot = Product<ProductKind::vectors>;

}  // namespace taper
