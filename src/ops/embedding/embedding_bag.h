#pragma once
#include "ops/op.h"

namespace taper {

/// Sum (mode 0), mean (1) or maximum (2) of the rows of `weight` selected by each bag of indices.
/// Bag b begins at offsets[b]. The other outputs are the bag of each index, -1 for an excluded
/// index; the number of indices of each bag that are not excluded; and, in mode 2, the row that
/// determined each element, 0 for an empty bag.
struct EmbeddingBag {
  std::int64_t mode = 0;
  bool scale_grad_by_freq = false, include_last_offset = false;
  std::int64_t padding_idx = -1;
  TAPER_ATTRIBUTES(mode, scale_grad_by_freq, include_last_offset, padding_idx)
  static constexpr OpInfo op{.name = "embedding_bag",
                             .node = "EmbeddingBagBackward0",
                             .inputs = "weight indices offsets per_sample_weights?",
                             .outputs = "output offset2bag bag_size max_indices",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | in(1) | in(3) | out(1) | out(2) | out(3),
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<EmbeddingBag>& b) const;
};

/// Rows and bags of a call, read from the index tensors.
struct BagIndices {
  std::vector<std::int64_t> rows, ends;  ///< row of each index, end of each bag

  /// Throws IndexError for an index out of range, ValueError for invalid offsets.
  BagIndices(const EmbeddingBag& o, const KernelArgs& k);
  /// Calls f(bag, first, last) for the bags [begin, end) with the range of their indices.
  template <class F> void each(std::int64_t begin, std::int64_t end, F&& f) const {
    for (std::int64_t b = begin; b < end; ++b)
      f(b, b == 0 ? 0 : ends[static_cast<std::size_t>(b - 1)], ends[static_cast<std::size_t>(b)]);
  }
  /// Writes the bag of each index and the sizes of the bags.
  void write(const EmbeddingBag& o, const KernelArgs& k) const;
};

}  // namespace taper
