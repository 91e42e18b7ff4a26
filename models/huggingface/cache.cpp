#include "huggingface/cache.h"

#include <algorithm>

#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace huggingface {

using namespace taper;

void DynamicCache::Buffer::grow(const Tensor& like, std::int64_t capacity) {
  Shape shape = like.shape();
  shape[2] = capacity;
  const Tensor larger = empty(shape, {.dtype = like.dtype(), .device = like.device()});
  if (length > 0) larger.narrow(2, 0, length).copy_(elements.narrow(2, 0, length));
  elements = larger;
}

Tensor DynamicCache::Buffer::append(const Tensor& more) {
  const std::int64_t total = length + more.size(2);
  if (length > 0) {
    Shape stored = elements.shape();
    stored[2] = more.size(2);
    if (stored != more.shape() || elements.dtype() != more.dtype())
      throw ShapeError("DynamicCache: got keys or values " + more.shape().str() +
                       ", which do not continue the stored " + elements.shape().str());
  }
  if (is_grad_enabled()) {
    elements = length > 0 ? cat({elements.narrow(2, 0, length), more}, 2) : more;
  } else {
    constexpr std::int64_t kMinCapacity = 64;
    if (const std::int64_t capacity = length > 0 ? elements.size(2) : 0; total > capacity)
      grow(more, std::max({total, 2 * capacity, kMinCapacity}));
    elements.narrow(2, length, more.size(2)).copy_(more);
  }
  length = total;
  return elements.narrow(2, 0, length);
}

void DynamicCache::Buffer::reorder(const Tensor& rows) {
  elements = elements.narrow(2, 0, length).index_select(0, rows);
}

std::pair<Tensor, Tensor> DynamicCache::update(const Tensor& key, const Tensor& value,
                                               std::size_t layer) {
  if (key.dim() != 4 || value.dim() != 4 || key.size(2) != value.size(2))
    throw ShapeError("DynamicCache: expected keys and values (N, heads, T, head_dim), got " +
                     key.shape().str() + " and " + value.shape().str());
  if (layer > layers_.size())
    throw IndexError("DynamicCache: layer " + std::to_string(layer) + " does not follow the " +
                     std::to_string(layers_.size()) + " stored layers");
  if (layer == layers_.size()) layers_.emplace_back();
  LayerCache& stored = layers_[layer];
  return {stored.keys.append(key), stored.values.append(value)};
}

void DynamicCache::reorder_cache(const Tensor& beam_idx) {
  for (LayerCache& layer : layers_) layer.keys.reorder(beam_idx), layer.values.reorder(beam_idx);
}

}  // namespace huggingface
