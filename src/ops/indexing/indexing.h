// Declarations that ops with an index or a mask share.
#pragma once
#include "ops/op.h"
#include "taper/core/factory.h"

namespace taper::indexing {

/// Returns the OpInfo of an op whose second input is an index or a mask, the only tensor that
/// backward reads.
constexpr OpInfo read_info(std::string_view name, std::string_view node, std::string_view inputs,
                           DTypeSet dtypes = DTypeSet::every) {
  return {.name = name,
          .node = node,
          .inputs = inputs,
          .dtypes = dtypes,
          .saved = in(1),
          .has_cpu_kernel = true};
}
/// Returns the OpInfo of an op that writes to the elements of a copy of input 0 that its second
/// input, an index or a mask, selects.
constexpr OpInfo write_info(std::string_view name, std::string_view node, std::string_view inputs,
                            DTypeSet dtypes = DTypeSet::all) {
  OpInfo info = read_info(name, node, inputs, dtypes);
  info.inplace = true;
  return info;
}

/// Returns the OpInfo of an op whose in-place form PyTorch deprecates for expanded tensors, with
/// the text of its warning.
constexpr OpInfo with_overlap_warning(OpInfo info, std::string_view warning) {
  info.accepts_overlap = true;
  info.overlap_warning = warning;
  return info;
}
inline constexpr std::string_view kIndexFillWarning =
    "Use of index_fill_ on expanded tensors is deprecated. Please clone() the tensor before "
    "performing this operation. This also applies to advanced indexing e.g. tensor[mask] = scalar";
inline constexpr std::string_view kIndexPutWarning =
    "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before "
    "performing this operation. This also applies to advanced indexing e.g. tensor[indices] = "
    "tensor";
inline constexpr std::string_view kMaskedFillWarning =
    "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor before "
    "performing this operation. This also applies to advanced indexing e.g. tensor[mask] = scalar";

/// Base of ops whose only attribute is the dimension that is indexed.
struct AlongDim {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
};

/// Throws ShapeError unless input 2, the value that an op fills in, is a 0-dim tensor.
inline void check_value(const ShapeInference& i) {
  if (i.rank(2) != 0)
    i.fail("only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
           i.rank(2));
}
/// Throws RuntimeError naming `op` unless the element of input 2, a 0-dim tensor, can be converted
/// to the dtype of the output.
void check_value_range(const KernelArgs& k, std::string_view op);
/// Returns zeros of the dtype and device of the gradient, to be filled with parts of it.
inline Tensor zeros_for(const Shape& shape, const Tensor& grad) {
  return zeros(shape, {.dtype = grad.dtype(), .device = grad.device()});
}

}  // namespace taper::indexing
