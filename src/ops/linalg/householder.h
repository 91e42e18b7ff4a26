#pragma once
#include "ops/op.h"

namespace taper {

struct Geqrf {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "geqrf", .inputs = "input", .outputs = "a tau"};
  void infer(ShapeInference& i) const;
};

struct HouseholderProduct {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_householder_product",
                             .node = "LinalgHouseholderProductBackward0",
                             .inputs = "input tau",
                             .saved = in(0) | in(1)};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<HouseholderProduct>& b) const;
};

}  // namespace taper
