#pragma once
#include "ops/indexing/indexing.h"

namespace taper {

/// `input` with a number where a mask, broadcast against it, holds.
constexpr OpInfo masked_fill_info(std::string_view name, std::string_view node,
                                  std::string_view inputs) {
  OpInfo info = indexing::write_info(name, node, inputs);
  info.layout = Layout::follow;
  info.broadcast = true;
  return info;
}

/// `input` with a number where `mask` holds, in its own dtype.
struct MaskedFill {
  Scalar value = 0;
  TAPER_ATTRIBUTES(value)
  static constexpr OpInfo op = masked_fill_info("masked_fill", "MaskedFillBackward0", "input mask");
  void infer(Infer& i) const;
  void backward(BackwardContext<MaskedFill>& b) const;
};

/// The same with the number in a 0-dim tensor.
struct MaskedFillTensor {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op =
      masked_fill_info("masked_fill_tensor", "MaskedFillBackward1", "input mask value");
  void infer(Infer& i) const;
  void backward(BackwardContext<MaskedFillTensor>& b) const;
};

/// The elements of `input` where `mask` holds; there are `size` of them.
struct MaskedSelect {
  std::int64_t size = 0;
  TAPER_ATTRIBUTES(size)
  static constexpr OpInfo op{.name = "masked_select",
                             .node = "MaskedSelectBackward0",
                             .inputs = "input mask",
                             .saved = in(1),
                             .broadcast = true,
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<MaskedSelect>& b) const;
};

/// `input` with the elements of `source`, in order, where `mask` holds.
struct MaskedScatter {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "masked_scatter",
                             .node = "MaskedScatterBackward0",
                             .inputs = "input mask source",
                             .saved = in(1),
                             .inplace = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<MaskedScatter>& b) const;
};

/// The indices of the first `size` elements that differ from 0, in row-major order, filled up with
/// rows of `fill_value`.
struct NonzeroStatic {
  std::int64_t size = 0, fill_value = -1;
  TAPER_ATTRIBUTES(size, fill_value)
  static constexpr OpInfo op{.name = "nonzero_static", .inputs = "input", .cpu = true};
  void infer(Infer& i) const;
};

}  // namespace taper
