#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// Returns the OpInfo of ops that write a number where a broadcast mask is true.
constexpr OpInfo masked_fill_info(std::string_view name, std::string_view node,
                                  std::string_view inputs) {
  OpInfo info = indexing::with_overlap_warning(indexing::write_info(name, node, inputs),
                                               indexing::kMaskedFillWarning);
  info.layout = OutputLayout::propagate;
  info.broadcast = true;
  return info;
}

/// Copy of `input` with elements set to a number where `mask` is true. The dtype is that of
/// `input`.
struct MaskedFill {
  Scalar value = 0;
  TAPER_ATTRIBUTES(value)
  static constexpr OpInfo op = masked_fill_info("masked_fill", "MaskedFillBackward0", "input mask");
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MaskedFill>& b) const;
};

/// As MaskedFill, with the number in a 0-dim tensor.
struct MaskedFillTensor {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op =
      called("masked_fill",
             masked_fill_info("masked_fill_tensor", "MaskedFillBackward1", "input mask value"));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MaskedFillTensor>& b) const;
};

/// Vector of the `size` elements of `input` where `mask` is true.
struct MaskedSelect {
  std::int64_t size = 0;
  TAPER_ATTRIBUTES(size)
  static constexpr OpInfo op{.name = "masked_select",
                             .node = "MaskedSelectBackward0",
                             .inputs = "input mask",
                             .dtypes = DTypeSet::all,
                             .saved = in(1),
                             .broadcast = true,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MaskedSelect>& b) const;
};

/// Copy of `input` with elements replaced by consecutive elements of `source` where `mask` is true.
struct MaskedScatter {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "masked_scatter",
                             .node = "MaskedScatterBackward0",
                             .inputs = "input mask source",
                             .dtypes = DTypeSet::all,
                             .saved = in(1),
                             .inplace = true,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MaskedScatter>& b) const;
};

/// Matrix of the indices of the first `size` nonzero elements in row-major order, one row per
/// element, padded with rows of `fill_value`.
struct NonzeroStatic {
  std::int64_t size = 0, fill_value = -1;
  TAPER_ATTRIBUTES(size, fill_value)
  static constexpr OpInfo op{
      .name = "nonzero_static", .inputs = "input", .dtypes = DTypeSet::all, .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
};

}  // namespace taper
