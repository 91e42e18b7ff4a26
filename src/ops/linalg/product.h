#pragma once
#include "ops/linalg/matrix.h"

namespace taper {

enum class ProductOf { matrices, batches, matrix_vector, vectors };

/// mm, bmm, mv and dot: products of operands of fixed ranks.
template <ProductOf P> struct Product {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = P == ProductOf::matrices        ? "mm"
                                     : P == ProductOf::batches       ? "bmm"
                                     : P == ProductOf::matrix_vector ? "mv"
                                                                     : "dot",
                             .node = P == ProductOf::matrices        ? "MmBackward0"
                                     : P == ProductOf::batches       ? "BmmBackward0"
                                     : P == ProductOf::matrix_vector ? "MvBackward0"
                                                                     : "DotBackward0",
                             .inputs = P == ProductOf::matrix_vector ? "input vec"
                                       : P == ProductOf::vectors     ? "input tensor"
                                                                     : "input mat2",
                             .dtypes = DTypeSet::no_bool,
                             .saved = in(0) | in(1),
                             .autocast = AutocastPolicy::lower_precision,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Product>& b) const;
  double flops(const KernelArgs& k) const;
};

using Mm = Product<ProductOf::matrices>;
using Bmm = Product<ProductOf::batches>;
using Mv = Product<ProductOf::matrix_vector>;
using Dot = Product<ProductOf::vectors>;

}  // namespace taper
