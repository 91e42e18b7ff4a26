#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// Copy of the slices of `input` along `dim` selected by `index`.
struct IndexSelect : indexing::AlongDim {
  static constexpr OpInfo op =
      indexing::read_info("index_select", "IndexSelectBackward0", "input index");
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<IndexSelect>& b) const;
};

/// Copy of `input` with alpha * source added to the slices along `dim` selected by `index`.
struct IndexAdd {
  std::int64_t dim = 0;
  Scalar alpha = 1;
  TAPER_ATTRIBUTES(dim, alpha)
  static constexpr OpInfo op =
      indexing::write_info("index_add", "IndexAddBackward0", "input index source");
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<IndexAdd>& b) const;
};

}  // namespace taper
