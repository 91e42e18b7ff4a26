// Embeddings: rows of a matrix selected by indices.
#pragma once
#include <cstdint>
#include <optional>
#include <tuple>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"

namespace TAPER_API taper {
class Tensor;

/// Returns the rows of `weight` `(V, D)` selected by `indices` (i64 or i32) of any shape `(*)`:
/// `(*, D)`. The gradient of row `padding_idx` is 0; a value of -1 selects no row. With
/// `scale_grad_by_freq`, the gradient of a row is divided by the number of times that `indices`
/// contains it. Throws ShapeError unless `weight` is a matrix, DTypeError if `indices` has another
/// dtype, IndexError for an index out of range, NotImplementedError if `sparse` is set.
/// PyTorch: torch.embedding.
Tensor embedding(const Tensor& weight, const Tensor& indices, IntArg padding_idx = -1,
                 bool scale_grad_by_freq = false, bool sparse = false);

/// Scales the rows of `weight` that `indices` contains to the p-norm `max_norm` if their norm is
/// larger, in place, and returns `weight`. p is `norm_type`. Throws the errors of `embedding`.
/// PyTorch: torch.embedding_renorm_.
const Tensor& embedding_renorm_(const Tensor& weight, const Tensor& indices, FloatArg max_norm,
                                FloatArg norm_type);

/// Reduces the rows of `weight` `(V, D)` selected by each bag of `indices` `(N)`: `(B, D)`. Bag b
/// consists of the indices from offsets[b] to offsets[b + 1], or to the end for the last bag; with
/// `include_last_offset`, the last element of `offsets` is the end of the last bag. `mode` is 0
/// (sum), 1 (mean) or 2 (maximum). `per_sample_weights` `(N)` multiplies the rows of a sum. Indices
/// equal to `padding_idx`, if given, are excluded; a negative one counts from the end. The result
/// of an empty bag is 0. Also returns the bag of each index (N), the number of indices of each bag
/// (B) that are not excluded, and, in mode 2, the index that determined each element (B, D),
/// otherwise an empty tensor.
///
/// Throws ShapeError if shapes do not match, DTypeError if a dtype is not supported, ValueError for
/// offsets that do not begin with 0 or that decrease, or for an unsupported combination of options,
/// and IndexError for an index out of range. PyTorch: torch.embedding_bag.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets,
    bool scale_grad_by_freq = false, IntArg mode = 0, bool sparse = false,
    OptionalTensorRef per_sample_weights = {}, bool include_last_offset = false,
    std::optional<IntArg> padding_idx = {});

}  // namespace taper
