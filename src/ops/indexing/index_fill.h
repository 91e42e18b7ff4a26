#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// Copy of `input` with the slices along `dim` selected by `index` set to a number.
struct IndexFill {
  std::int64_t dim = 0;
  Scalar value = 0;
  TAPER_ATTRIBUTES(dim, value)
  static constexpr OpInfo op = indexing::with_overlap_warning(
      indexing::write_info("index_fill", "IndexFillBackward0", "input index"),
      indexing::kIndexFillWarning);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<IndexFill>& b) const;
};

/// As IndexFill, with the number in a 0-dim tensor.
struct IndexFillTensor : indexing::AlongDim {
  static constexpr OpInfo op = called(
      "index_fill",
      indexing::with_overlap_warning(
          indexing::write_info("index_fill_tensor", "IndexFillBackward1", "input index value"),
          indexing::kIndexFillWarning));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<IndexFillTensor>& b) const;
};

/// Copy of `input` with the slices along `dim` selected by `index` replaced with the slices of
/// `source`. The last write to a slice takes precedence.
struct IndexCopy : indexing::AlongDim {
  static constexpr OpInfo op = [] {
    OpInfo info = indexing::write_info("index_copy", "IndexCopyBackward0", "input index source");
    info.autocast = AutocastPolicy::promote;
    return info;
  }();
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<IndexCopy>& b) const;
};

}  // namespace taper
