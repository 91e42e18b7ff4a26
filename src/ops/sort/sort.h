#pragma once
#include "ops/op.h"
#include "ops/reduce/dims.h"

namespace taper {

/// Elements sorted along `dim`, and their positions in the input. Equal elements retain their order
/// also if `stable` is false.
struct Sort {
  std::int64_t dim = -1;
  bool descending = false;
  bool stable = false;
  TAPER_ATTRIBUTES(dim, descending, stable)
  static constexpr OpInfo op{.name = "sort",
                             .node = "SortBackward0",
                             .inputs = "input",
                             .outputs = "values indices",
                             .dtypes = DTypeSet::every,
                             .saved = out(1),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Sort>& b) const {
    b[0] = reduce::scatter_to_indices(b, b.output<1>(), dim, true);
  }
};

/// The `k` largest or smallest elements along `dim`, and their positions.
struct TopK {
  std::int64_t k = 1, dim = -1;
  bool largest = true, sorted = true;
  TAPER_ATTRIBUTES(k, dim, largest, sorted)
  static constexpr OpInfo op{.name = "topk",
                             .node = "TopkBackward0",
                             .inputs = "input",
                             .outputs = "values indices",
                             .dtypes = DTypeSet::no_bool,
                             .saved = out(1)};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<TopK>& b) const {
    b[0] = reduce::scatter_to_indices(b, b.output<1>(), dim, true);
  }
};

/// The k-th smallest element along `dim`, counted from 1, and its position.
struct KthValue {
  std::int64_t k = 1, dim = -1;
  bool keepdim = false;
  TAPER_ATTRIBUTES(k, dim, keepdim)
  static constexpr OpInfo op{.name = "kthvalue",
                             .node = "KthvalueBackward0",
                             .inputs = "input",
                             .outputs = "values indices",
                             .dtypes = DTypeSet::no_bool,
                             .saved = out(1)};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<KthValue>& b) const {
    b[0] = reduce::scatter_to_indices(b, b.output<1>(), dim, keepdim);
  }
};

/// The most frequent element along `dim`, the smallest of several, and the position of one of its
/// occurrences.
struct Mode {
  std::int64_t dim = -1;
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr OpInfo op{.name = "mode",
                             .node = "ModeBackward0",
                             .inputs = "input",
                             .outputs = "values indices",
                             .dtypes = DTypeSet::all,
                             .saved = out(1)};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Mode>& b) const {
    b[0] = reduce::scatter_to_indices(b, b.output<1>(), dim, keepdim);
  }
};

/// Indices that sort the rows of a matrix in lexicographic order. Equal rows retain their order.
struct LexSort {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{
      .name = "lexsort", .inputs = "input", .dtypes = DTypeSet::every, .public_name = "unique"};
  void infer(ShapeInference& i) const;
};

}  // namespace taper
