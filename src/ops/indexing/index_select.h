#pragma once
#include "ops/op.h"

namespace taper {

/// The slices of `input` along `dim` that `index` names.
struct IndexSelect {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "index_select",
                             .node = "IndexSelectBackward0",
                             .inputs = "input index",
                             .saved = in(1),
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexSelect>& b) const;
};

/// `input` plus alpha times the slices of `source` at the places `index` names.
struct IndexAdd {
  std::int64_t dim = 0;
  Scalar alpha = 1;
  TAPER_ATTRIBUTES(dim, alpha)
  static constexpr OpInfo op{.name = "index_add",
                             .node = "IndexAddBackward0",
                             .inputs = "input index source",
                             .saved = in(1),
                             .inplace = true,
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexAdd>& b) const;
};

}  // namespace taper
