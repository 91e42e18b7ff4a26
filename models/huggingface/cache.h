// DynamicCache: the keys and values of the tokens that a model has processed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "taper/core/tensor.h"

namespace huggingface {

/// Keys and values of each layer, which later calls of the model reuse. Hugging Face: DynamicCache.
///
/// The elements are stored in buffers whose capacity is doubled when they are full, so that
/// appending a token does not copy the preceding ones. If gradients are enabled, they are
/// concatenated instead, which is differentiable.
class DynamicCache {
 public:
  /// Appends the keys and values `(N, heads, T, head_dim)` of new tokens to a layer and returns
  /// those of all its tokens. Layers are added in order. Throws taper::ShapeError if shapes do not
  /// match the stored ones.
  std::pair<taper::Tensor, taper::Tensor> update(const taper::Tensor& key,
                                                 const taper::Tensor& value, std::size_t layer);
  /// Returns the number of stored tokens.
  std::int64_t get_seq_length() const { return layers_.empty() ? 0 : layers_.front().keys.length; }
  /// Replaces row i of the batch by row beam_idx[i].
  void reorder_cache(const taper::Tensor& beam_idx);

 private:
  struct Buffer {
    taper::Tensor elements{};  // (N, heads, capacity, head_dim)
    std::int64_t length = 0;

    taper::Tensor append(const taper::Tensor& more);
    void grow(const taper::Tensor& like, std::int64_t capacity);
    void reorder(const taper::Tensor& rows);
  };
  struct LayerCache {
    Buffer keys, values;
  };
  std::vector<LayerCache> layers_;
};

}  // namespace huggingface
