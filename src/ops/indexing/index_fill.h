#pragma once
#include "ops/op.h"

namespace taper {

/// `input` with a number in the slices along `dim` that `index` names.
struct IndexFill {
  std::int64_t dim = 0;
  Scalar value = 0;
  TAPER_ATTRIBUTES(dim, value)
  static constexpr OpInfo op{.name = "index_fill",
                             .node = "IndexFillBackward0",
                             .inputs = "input index",
                             .saved = in(1),
                             .inplace = true,
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexFill>& b) const;
};

/// The same with the number in a 0-dim tensor.
struct IndexFillTensor {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "index_fill_tensor",
                             .node = "IndexFillBackward1",
                             .inputs = "input index value",
                             .saved = in(1),
                             .inplace = true,
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexFillTensor>& b) const;
};

/// `input` with the slices of `source` in the places of those that `index` names; the last of
/// several stays.
struct IndexCopy {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "index_copy",
                             .node = "IndexCopyBackward0",
                             .inputs = "input index source",
                             .saved = in(1),
                             .inplace = true,
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<IndexCopy>& b) const;
};

}  // namespace taper
