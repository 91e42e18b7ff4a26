#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// Advanced indexing: the elements of `input` selected by `index` [k, ...], whose k parts are
/// indices of the dimensions `dims` in ascending order. The shape `...` of the indices replaces
/// `dims` in the output if these are adjacent; otherwise it precedes the other dimensions.
struct IndexOp {
  Shape dims{};
  TAPER_ATTRIBUTES(dims)
  static constexpr OpInfo op = indexing::read_info("index", "IndexBackward0", "input index");
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<IndexOp>& b) const;
};

/// Copy of `input` in which the elements selected as in IndexOp are set to `values`, broadcast. The
/// last write to an element takes precedence; with `accumulate`, all values are added.
struct IndexPut {
  Shape dims{};
  bool accumulate = false;
  TAPER_ATTRIBUTES(dims, accumulate)
  static constexpr OpInfo op = indexing::with_overlap_warning(
      indexing::write_info("index_put", "IndexPutBackward0", "input index values"),
      indexing::kIndexPutWarning);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<IndexPut>& b) const;
};

}  // namespace taper
