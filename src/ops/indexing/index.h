#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// The elements of `input` at the places that `index` [k, ...] names: its k parts are indices of
/// the dimensions `dims`, in rising order. What they look like together, `...`, stands where the
/// dims were if they are neighbours, else in front.
struct IndexOp {
  Shape dims{};
  TAPER_ATTRIBUTES(dims)
  static constexpr OpInfo op = indexing::read_info("index", "IndexBackward0", "input index");
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexOp>& b) const;
};

/// `input` with `values`, broadcast, at those places: the last of several, or all added to what is
/// there.
struct IndexPut {
  Shape dims{};
  bool accumulate = false;
  TAPER_ATTRIBUTES(dims, accumulate)
  static constexpr OpInfo op =
      indexing::write_info("index_put", "IndexPutBackward0", "input index values");
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexPut>& b) const;
};

}  // namespace taper
