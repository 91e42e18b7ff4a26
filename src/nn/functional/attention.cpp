#include "taper/nn/functional/attention.h"
#include "ops/autocast.h"

#include <cmath>
#include <limits>

#include "core/check.h"
#include "nn/functional/attention_mask.h"
#include "nn/layers/text.h"
#include "ops/attention/functions.h"
#include "ops/promote.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/dropout.h"

namespace taper::nn::functional {
namespace {

using AttentionOptions = ScaledDotProductAttentionFuncOptions;

void check_operands(const Tensor& query, const Tensor& key, const Tensor& value,
                    const AttentionOptions& o) {
  constexpr const char* kName = "scaled_dot_product_attention";
  if (query.dtype() != key.dtype() || query.dtype() != value.dtype())
    fail<DTypeError>(
        "{}: Expected query, key, and value to have the same dtype, but got query.dtype: {} "
        "key.dtype: {} and value.dtype: {} instead.",
        kName, query.dtype(), key.dtype(), value.dtype());
  if (!query.is_floating_point())
    fail<DTypeError>("{}: expected floating-point tensors, got {}", kName, query.dtype());
  if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
    fail<ShapeError>(
        "{}: Expected query, key, and value to all be at least 2 dimensional, but got query.dim(): "
        "{}, key.dim(): {} and value.dim(): {} instead.",
        kName, query.dim(), key.dim(), value.dim());
  if (query.size(-1) != key.size(-1) || key.size(-2) != value.size(-2))
    fail<ShapeError>("{}: incompatible shapes: got query {}, key {} and value {}", kName,
                     query.shape(), key.shape(), value.shape());
  if (!(o.dropout_p >= 0 && o.dropout_p <= 1))
    fail<ValueError>("{}: dropout probability has to be between 0 and 1, but got {}", kName,
                     python_repr(o.dropout_p));
  if (o.attn_mask) {
    if (o.is_causal)
      fail<ValueError>("{}: Explicit attn_mask should not be set when is_causal=True", kName);
    const DType mask = o.attn_mask->dtype();
    if (mask != DType::bool_ && mask != query.dtype() && mask != DType::f32)
      fail<DTypeError>(
          "{}: Expected attn_mask dtype to be bool or float or to match query dtype, but got "
          "attn_mask.dtype: {} and query.dtype: {} instead.",
          kName, mask, query.dtype());
  }
  if (o.enable_gqa && (query.dim() < 3 || key.dim() < 3 || value.dim() < 3))
    fail<ShapeError>(
        "{}: enable_gqa requires a dimension of heads, got query {}, key {} and value {}", kName,
        query.shape(), key.shape(), value.shape());
}

/// Returns true if the shapes allow one op to compute the attention: the leading dimensions of the
/// operands are not broadcast, and the mask is broadcast to the scores only.
bool has_fused_shapes(const Tensor& query, const Tensor& key, const Tensor& value,
                      const AttentionOptions& o) {
  const Shape &q = query.shape(), &k = key.shape(), &v = value.shape();
  const std::size_t rank = q.size();
  if (k.size() != rank || v.size() != rank) return false;
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    const bool is_shared =
        o.enable_gqa && d + 3 == rank && k[d] > 0 && q[d] > 0 && q[d] % k[d] == 0;
    if (k[d] != v[d] || (k[d] != q[d] && !is_shared)) return false;
  }
  if (!o.attn_mask) return true;
  const Shape& mask = o.attn_mask->shape();
  if (mask.size() > rank) return false;
  for (std::size_t d = rank - mask.size(); d < rank; ++d) {
    const std::int64_t size = mask[d - (rank - mask.size())];
    if (size != 1 && size != (d + 1 == rank ? k[rank - 2] : q[d])) return false;
  }
  return true;
}

/// Returns true if one op computes the attention. Dropout draws a random number for each weight,
/// and backends have kernels for the ops that attention is composed of.
bool can_fuse(const Tensor& query, const Tensor& key, const Tensor& value,
              const AttentionOptions& o) {
  const Device device = query.device();
  if (o.dropout_p > 0 || !(device.is_cpu() || device.is_meta())) return false;
  if (key.device() != device || value.device() != device ||
      (o.attn_mask && o.attn_mask->device() != device))
    return false;
  return has_fused_shapes(query, key, value, o);
}

Tensor fused_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                       const AttentionOptions& o) {
  Tensor mask = o.attn_mask.value_or_undefined();
  if (mask.defined() && mask.dtype() != DType::bool_) mask = mask.to(query.dtype());
  return scaled_dot_product_flash_attention(query, key, value, mask, o.is_causal, o.scale).first;
}

/// Repeats the heads (dimension -3) of keys or values for grouped queries.
Tensor repeat_heads(const Tensor& t, std::int64_t heads) {
  const std::int64_t given = t.dim() < 3 ? 1 : t.size(-3);
  if (given == heads) return t;
  if (given == 0 || heads % given != 0)
    fail<ShapeError>(
        "scaled_dot_product_attention: Number of heads in key and value must divide the number of "
        "heads in query: got {} and {}",
        given, heads);
  Shape expanded = t.shape(), repeated = t.shape();
  const std::size_t at = expanded.size() - 3;
  expanded.insert(at + 1, heads / given);
  repeated[at] = heads;
  return t.unsqueeze(-3).expand(expanded).reshape(repeated);
}

/// Returns the additive mask of a bool mask, which is true where a key takes part.
Tensor additive(const Tensor& mask, DType dtype) {
  return canonical_mask(mask.logical_not(), "attn_mask", dtype);
}

/// Returns the bool mask that is true on and below the diagonal.
Tensor causal_mask(std::int64_t rows, std::int64_t columns, Device device) {
  return ones({rows, columns}, {.dtype = DType::bool_, .device = device}).tril();
}

/// Computes the softmax along the last dimension, 0 for rows that are -inf throughout. Their
/// gradient is 0 as well: they are replaced before the softmax, whose gradient would be NaN.
Tensor safe_softmax(const Tensor& scores) {
  if (scores.size(-1) == 0) return scores.softmax(-1);
  const Tensor is_masked = scores.eq(-std::numeric_limits<double>::infinity()).all({-1}, true);
  return scores.masked_fill(is_masked, 0).softmax(-1).masked_fill(is_masked, 0);
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& o) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::lower_precision, scaled_dot_product_attention, query, key,
                         value, o);
  check_operands(query, key, value, o);
  if (size_of(query.dtype()) == 2) {  // computed in f32, as in PyTorch
    AttentionOptions wide = o;
    if (o.attn_mask && o.attn_mask->is_floating_point())
      wide.attn_mask = o.attn_mask->to(DType::f32);
    return scaled_dot_product_attention(query.to(DType::f32), key.to(DType::f32),
                                        value.to(DType::f32), wide)
        .to(query.dtype());
  }
  if (can_fuse(query, key, value, o)) return fused_attention(query, key, value, o);
  Tensor k = key, v = value;
  if (o.enable_gqa) {
    k = repeat_heads(key, query.size(-3));
    v = repeat_heads(value, query.size(-3));
  }
  // The factor is distributed over both operands, which avoids overflow in 16-bit types.
  const double scale =
      o.scale ? static_cast<double>(*o.scale)
              : 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, query.size(-1))));
  const double factor = std::sqrt(std::abs(scale));
  const Tensor q = query * (scale < 0 ? -factor : factor);
  Tensor scores = q.matmul(k.transpose(-2, -1) * factor);
  bool masked = o.is_causal;
  if (o.is_causal) {
    const Tensor mask = causal_mask(query.size(-2), key.size(-2), query.device());
    scores = scores + additive(mask, query.dtype());
  } else if (o.attn_mask) {
    const Tensor& mask = *o.attn_mask;
    const Tensor sum = scores + (mask.dtype() == DType::bool_ ? additive(mask, query.dtype())
                                                              : mask.to(query.dtype()));
    if (sum.shape() != scores.shape())
      fail<ShapeError>(
          "scaled_dot_product_attention: attn_mask of shape {} cannot be broadcast to the weights, "
          "which have shape {}",
          mask.shape(), scores.shape());
    scores = sum;
    masked = true;
  }
  Tensor weights = masked ? safe_softmax(scores) : scores.softmax(-1);
  if (o.dropout_p > 0) weights = functional::dropout(weights, o.dropout_p);
  return weights.matmul(v);
}

}  // namespace taper::nn::functional
