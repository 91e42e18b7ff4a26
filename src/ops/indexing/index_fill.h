#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// `input` with a number in the slices along `dim` that `index` names.
struct IndexFill {
  std::int64_t dim = 0;
  Scalar value = 0;
  TAPER_ATTRIBUTES(dim, value)
  static constexpr OpInfo op =
      indexing::write_info("index_fill", "IndexFillBackward0", "input index");
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexFill>& b) const;
};

/// The same with the number in a 0-dim tensor.
struct IndexFillTensor {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op =
      indexing::write_info("index_fill_tensor", "IndexFillBackward1", "input index value");
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexFillTensor>& b) const;
};

/// `input` with the slices of `source` in the places of those that `index` names; the last of
/// several stays.
struct IndexCopy {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op =
      indexing::write_info("index_copy", "IndexCopyBackward0", "input index source");
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexCopy>& b) const;
};

}  // namespace taper
