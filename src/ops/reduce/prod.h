#pragma once
#include "ops/op.h"

namespace taper {

/// Product of all elements.
struct ProdAll {
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dtype)
  static constexpr OpInfo op{.name = "prod_all",
                             .node = "ProdBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .saved = in(0),
                             .autocast = AutocastPolicy::f32,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .public_name = "prod"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ProdAll>& b) const;
};

/// Product along `dim`.
struct Prod {
  std::int64_t dim = 0;
  bool keepdim = false;
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dim, keepdim, dtype)
  static constexpr OpInfo op{.name = "prod",
                             .node = "ProdBackward1",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .saved = in(0),
                             .autocast = AutocastPolicy::f32,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Prod>& b) const;
};

/// Computes, for each element, the product of all other elements along `dim`. This is the
/// derivative of the product with respect to the element; a division by the element would fail for
/// zeros.
struct ProdOthers {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "prod_others",
                             .node = "ProdOthersBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::all,
                             .saved = in(0),
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ProdOthers>& b) const;
};

}  // namespace taper
