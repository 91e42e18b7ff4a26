#pragma once
#include "ops/op.h"

namespace taper {

/// Positions at which the elements of `input` would be inserted into the sequences, sorted along
/// the last dimension, or sorted by the indices in `sorter`.
struct SearchSorted {
  bool out_int32 = false, right = false;
  TAPER_ATTRIBUTES(out_int32, right)
  static constexpr OpInfo op{.name = "searchsorted",
                             .inputs = "sorted_sequence input sorter?",
                             .dtypes = DTypeSet::no_bool,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
};

}  // namespace taper
