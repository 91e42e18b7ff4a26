// Attention as one op, which F::scaled_dot_product_attention calls.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/tensor.h"

namespace taper {

/// Computes softmax(query key^T * scale + mask) value for query `(..., L, E)`, key `(..., S, E)`
/// and value `(..., S, Ev)`, without storing the scores `(..., L, S)`. Returns the output
/// `(..., L, Ev)` and, per query, the logarithm of the sum of e^score `(..., L)`.
///
/// `attn_mask` is broadcast to the scores: a bool mask is true where a key takes part, a mask of
/// the query's dtype is added to the scores. If `is_causal` is set, query i takes part with keys 0
/// to i only. `scale` is by default 1 / sqrt(E). Key and value may have fewer heads (dimension -3)
/// than the query; each serves several consecutive heads of the query. Other leading dimensions
/// are not broadcast. The output of a query that no key takes part with is 0, its logarithm
/// -infinity.
///
/// The memory of the output has the order of the dimensions of the query. Throws ShapeError if
/// shapes do not match, DTypeError if dtypes differ. PyTorch:
/// torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.
std::pair<Tensor, Tensor> scaled_dot_product_flash_attention(const Tensor& query, const Tensor& key,
                                                             const Tensor& value,
                                                             OptionalTensorRef attn_mask = {},
                                                             bool is_causal = false,
                                                             std::optional<FloatArg> scale = {});

}  // namespace taper
