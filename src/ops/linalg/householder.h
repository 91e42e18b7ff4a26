#pragma once
#include "ops/linalg/dense.h"

namespace taper {

struct Geqrf {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "geqrf",
                             .inputs = "input",
                             .outputs = "a tau",
                             .dtypes = DTypeSet::full_precision,
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error};
  void infer(ShapeInference& i) const;
};

struct HouseholderProduct {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_householder_product",
                             .node = "LinalgHouseholderProductBackward0",
                             .inputs = "input tau",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | in(1),
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.householder_product"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<HouseholderProduct>& b) const;
};

}  // namespace taper
