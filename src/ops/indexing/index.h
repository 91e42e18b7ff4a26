#pragma once
#include "ops/op.h"

namespace taper {

/// The elements of `input` at the places that `index` [k, ...] names: its k parts are indices of
/// the dimensions `dims`, in rising order. What they look like together, `...`, stands where the
/// dims were if they are neighbours, else in front.
struct IndexOp {
  Shape dims{};
  TAPER_ATTRIBUTES(dims)
  static constexpr OpInfo op{.name = "index",
                             .node = "IndexBackward0",
                             .inputs = "input index",
                             .saved = in(1),
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexOp>& b) const;
};

/// `input` with `values`, broadcast, at those places: the last of several, or all added to what is
/// there.
struct IndexPut {
  Shape dims{};
  bool accumulate = false;
  TAPER_ATTRIBUTES(dims, accumulate)
  static constexpr OpInfo op{.name = "index_put",
                             .node = "IndexPutBackward0",
                             .inputs = "input index values",
                             .saved = in(1),
                             .inplace = true,
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexPut>& b) const;
};

}  // namespace taper
