#include <cmath>
#include <limits>
#include <utility>

#include "core/check.h"
#include "nn/functional/attention_mask.h"
#include "nn/layers/text.h"
#include "ops/linalg/functions.h"
#include "taper/autograd/function.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/nn/functional/attention.h"
#include "taper/nn/functional/dropout.h"
#include "taper/nn/functional/pad.h"

namespace taper::nn {

Tensor canonical_mask(const Tensor& mask, std::string_view name, DType target) {
  if (!mask.defined() || mask.is_floating_point()) return mask;
  if (mask.dtype() != DType::bool_)
    fail<DTypeError>("only bool and floating types of {} are supported, got {}", name,
                     mask.dtype());
  return zeros(mask.shape(), {.dtype = target, .device = mask.device()})
      .masked_fill(mask, -std::numeric_limits<double>::infinity());
}

void warn_of_mask_types(const Tensor& mask, std::string_view name, const Tensor& other,
                        std::string_view other_name) {
  if (mask.defined() && other.defined() && mask.dtype() != other.dtype())
    warn("Support for mismatched " + std::string(name) + " and " + std::string(other_name) +
         " is deprecated. Use same type for both instead.");
}

namespace functional {
namespace {

using Options = MultiheadAttentionForwardFuncOptions;

/// Returns true if the inputs have a batch dimension. Throws ShapeError if the ranks do not match.
bool check_ranks(const Tensor& query, const Tensor& key, const Tensor& value, const Options& o,
                 std::int64_t heads) {
  if (query.dim() != 2 && query.dim() != 3)
    fail<ShapeError>(
        "query should be unbatched 2D or batched 3D tensor but received {}-D query tensor",
        query.dim());
  const bool batched = query.dim() == 3;
  const char* const form = batched ? "batched (3-D)" : "unbatched (2-D)";
  if (key.dim() != query.dim() || value.dim() != query.dim())
    fail<ShapeError>(
        "For {} `query`, expected `key` and `value` to be {}-D but found {}-D and {}-D tensors "
        "respectively",
        form, query.dim(), key.dim(), value.dim());
  if (o.key_padding_mask && o.key_padding_mask->dim() != query.dim() - 1)
    fail<ShapeError>(
        "For {} `query`, expected `key_padding_mask` to be `None` or {}-D but found {}-D tensor "
        "instead",
        form, query.dim() - 1, o.key_padding_mask->dim());
  if (!o.attn_mask) return batched;
  const Tensor& mask = *o.attn_mask;
  if (mask.dim() != 2 && mask.dim() != 3)
    fail<ShapeError>(
        "For {} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {}-D tensor "
        "instead",
        form, mask.dim());
  if (!batched && mask.dim() == 3 && mask.shape() != Shape{heads, query.size(0), key.size(0)})
    fail<ShapeError>("Expected `attn_mask` shape to be {} but got {}",
                     tuple_text({heads, query.size(0), key.size(0)}), mask.shape());
  return batched;
}

std::optional<Tensor> part(OptionalTensorRef bias, std::int64_t index, std::int64_t size) {
  if (!bias) return std::nullopt;
  return bias->narrow(0, index * size, size);
}

struct Projections {
  Tensor q, k, v;
};

/// Views of the three equal parts of the last dimension. The gradients are concatenated, while
/// slices would add a tensor with zeros for each part.
struct SplitProjections : autograd::Function<SplitProjections> {
  using Parts = std::tuple<Tensor, Tensor, Tensor>;
  static Parts forward(autograd::Context&, const Tensor& all) { return parts(all); }
  static std::vector<Tensor> backward(autograd::Context&, const std::vector<Tensor>& grads) {
    return {cat(grads, -1)};
  }
  static Parts parts(const Tensor& all) {
    const std::int64_t size = all.size(-1) / 3;
    return {all.narrow(-1, 0, size), all.narrow(-1, size, size), all.narrow(-1, 2 * size, size)};
  }
};

/// Computes `linear` of sequences (L, N, E) in the order of their memory: of those with the batch
/// first, without a copy.
Tensor project(const Tensor& x, const Tensor& weight, OptionalTensorRef bias) {
  if (x.dim() != 3 || x.is_contiguous()) return taper::linear(x, weight, bias);
  const Tensor batch_first = x.transpose(0, 1);
  return batch_first.is_contiguous() ? taper::linear(batch_first, weight, bias).transpose(0, 1)
                                     : taper::linear(x, weight, bias);
}

/// Projects query, key and value with one weight (3 E, E).
Projections project_packed(const Tensor& query, const Tensor& key, const Tensor& value,
                           const Tensor& weight, OptionalTensorRef bias) {
  const std::int64_t size = query.size(-1);
  if (weight.dim() != 2 || weight.size(0) != 3 * size)
    fail<ShapeError>("multi_head_attention_forward: expected in_proj_weight of shape {}, got {}",
                     Shape{3 * size, size}, weight.shape());
  const auto columns = [&](const Tensor& all, std::int64_t index) {
    return all.narrow(-1, index * size, size);
  };
  const auto projected = [&](const Tensor& x, std::int64_t first, std::int64_t count) {
    std::optional<Tensor> b;
    if (bias) b = bias->narrow(0, first * size, count * size);
    return project(x, weight.narrow(0, first * size, count * size), b);
  };
  if (key.is_same(value) && query.is_same(key)) {
    const Tensor all = project(query, weight, bias);
    auto [q, k, v] =
        all.requires_grad() ? SplitProjections::apply(all) : SplitProjections::parts(all);
    return {std::move(q), std::move(k), std::move(v)};
  }
  if (key.is_same(value)) {
    const Tensor both = projected(key, 1, 2);
    return {projected(query, 0, 1), columns(both, 0), columns(both, 1)};
  }
  return {projected(query, 0, 1), projected(key, 1, 1), projected(value, 2, 1)};
}

Projections project_separately(const Tensor& query, const Tensor& key, const Tensor& value,
                               OptionalTensorRef bias, const Options& o) {
  if (!o.q_proj_weight || !o.k_proj_weight || !o.v_proj_weight)
    fail<ValueError>(
        "use_separate_proj_weight is True but q_proj_weight, k_proj_weight or v_proj_weight is "
        "None");
  const std::int64_t size = query.size(-1);
  return {project(query, *o.q_proj_weight, part(bias, 0, size)),
          project(key, *o.k_proj_weight, part(bias, 1, size)),
          project(value, *o.v_proj_weight, part(bias, 2, size))};
}

/// Returns the mask as (1 or N * num_heads, L, S).
Tensor checked_mask(const Tensor& mask, std::int64_t heads, std::int64_t rows,
                    std::int64_t columns) {
  const Shape expected = mask.dim() == 2 ? Shape{rows, columns} : Shape{heads, rows, columns};
  if (mask.shape() != expected)
    fail<ShapeError>("The shape of the {}D attn_mask is torch.Size({}), but should be {}.",
                     mask.dim(), mask.shape(), tuple_text(expected));
  return mask.dim() == 2 ? mask.unsqueeze(0) : mask;
}

/// Sequences of all heads, (N, num_heads, length, head_dim) for fused attention and (N * num_heads,
/// length, head_dim) otherwise, and the mask for each.
struct Heads {
  Tensor q, k, v;
  Tensor mask;          ///< (1 or N * num_heads, L, S); undefined if absent
  Tensor padding_mask;  ///< (N, S); undefined if absent

  /// Appends `count` keys that no mask excludes.
  void extend_masks(std::int64_t count) {
    if (mask.defined()) mask = pad(mask, {0, count});
    if (padding_mask.defined()) padding_mask = pad(padding_mask, {0, count});
  }
};

Tensor checked_static(const Tensor& given, const char* name, std::int64_t heads,
                      std::int64_t head_dim) {
  if (given.dim() != 3 || given.size(0) != heads || given.size(2) != head_dim)
    fail<ShapeError>("expecting {} of shape ({}, S, {}), but got {}", name, heads, head_dim,
                     given.shape());
  return given;
}

/// Adds the padding mask to the attention mask.
void merge_padding(Heads& h, std::int64_t batch, std::int64_t heads) {
  const std::int64_t keys = h.k.size(-2);
  const bool has_batches = h.k.dim() == 4;
  if (has_batches && h.mask.defined() && h.mask.size(0) == batch * heads)
    h.mask = h.mask.reshape({batch, heads, h.mask.size(1), h.mask.size(2)});
  if (!h.padding_mask.defined()) return;
  for (const std::int64_t d : {0, 1})
    if (const std::int64_t expected = d == 0 ? batch : keys; h.padding_mask.size(d) != expected)
      fail<ShapeError>("Expected key_padded_mask.shape[{}] to be {}, but got {}", d, expected,
                       h.padding_mask.size(d));
  Tensor wide = h.padding_mask.reshape({batch, 1, 1, keys});
  if (!has_batches) wide = wide.expand({batch, heads, 1, keys}).reshape({batch * heads, 1, keys});
  h.mask = h.mask.defined() ? h.mask + wide : wide;
}

}  // namespace

std::pair<Tensor, Tensor> multi_head_attention_forward(const Tensor& given_query,
                                                       const Tensor& given_key,
                                                       const Tensor& given_value,
                                                       const Options& o) {
  const bool batched = check_ranks(given_query, given_key, given_value, o, o.num_heads);
  // Self-attention is detected by the identity of the inputs.
  const bool same_key = given_query.is_same(given_key), same_value = given_key.is_same(given_value);
  const Tensor query = batched ? given_query : given_query.unsqueeze(1);
  const Tensor key = same_key ? query : batched ? given_key : given_key.unsqueeze(1);
  const Tensor value = same_value ? key : batched ? given_value : given_value.unsqueeze(1);
  const std::int64_t rows = query.size(0), batch = query.size(1), size = query.size(2);
  const std::int64_t heads = o.num_heads, embed_dim = o.embed_dim_to_check;
  if (size != embed_dim)
    fail<ShapeError>("was expecting embedding dimension of {}, but got {}", embed_dim, size);
  if (heads <= 0 || size % heads != 0)
    fail<ValueError>("embed_dim {} not divisible by num_heads {}", size, heads);
  const bool fits = o.use_separate_proj_weight
                        ? key.size(0) == value.size(0) && key.size(1) == value.size(1)
                        : key.shape() == value.shape();
  if (!fits)
    fail<ShapeError>("key shape torch.Size({}) does not match value shape torch.Size({})",
                     key.shape(), value.shape());
  if (key.size(1) != batch)
    fail<ShapeError>("the batch sizes of query and key must be equal: got {} and {}", batch,
                     key.size(1));
  if (o.is_causal && !o.attn_mask)
    fail<ValueError>(
        "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
        "method `generate_square_subsequent_mask` to create this mask.");
  if (o.bias_k.has_value() != o.bias_v.has_value())
    fail<ValueError>("bias_k and bias_v must both be given or both be None");
  if (o.bias_k && (o.static_k || o.static_v))
    fail<ValueError>("bias cannot be added to static key or value.");
  if (!o.use_separate_proj_weight && !o.in_proj_weight)
    fail<ValueError>("use_separate_proj_weight is False but in_proj_weight is None");
  if (!o.out_proj_weight)
    fail<ValueError>("multi_head_attention_forward: out_proj_weight is required");

  Heads h;
  warn_of_mask_types(o.key_padding_mask.value_or_undefined(), "key_padding_mask",
                     o.attn_mask.value_or_undefined(), "attn_mask");
  h.padding_mask =
      canonical_mask(o.key_padding_mask.value_or_undefined(), "key_padding_mask", query.dtype());
  if (h.padding_mask.defined() && !batched) h.padding_mask = h.padding_mask.unsqueeze(0);
  // The hint replaces the mask if nothing else depends on the mask.
  const bool causal =
      o.is_causal && !h.padding_mask.defined() && !o.need_weights && !o.bias_k && !o.add_zero_attn;
  if (o.attn_mask && !causal)
    h.mask = checked_mask(canonical_mask(*o.attn_mask, "attn_mask", query.dtype()), batch * heads,
                          rows, key.size(0));

  Projections p = o.use_separate_proj_weight
                      ? project_separately(query, key, value, o.in_proj_bias, o)
                      : project_packed(query, key, value, *o.in_proj_weight, o.in_proj_bias);
  if (o.bias_k) {
    p.k = cat({p.k, o.bias_k->expand({1, batch, size})});
    p.v = cat({p.v, o.bias_v->expand({1, batch, size})});
    h.extend_masks(1);
  }
  const std::int64_t all = batch * heads, head_dim = size / heads;
  const auto split = [&](const Tensor& t) {
    if (o.need_weights) return t.reshape({t.size(0), all, head_dim}).transpose(0, 1);
    return t.reshape({t.size(0), batch, heads, head_dim}).permute({1, 2, 0, 3});
  };
  const auto split_static = [&](const Tensor& t, const char* name) {
    const Tensor given = checked_static(t, name, all, head_dim);
    return o.need_weights ? given : given.reshape({batch, heads, given.size(1), head_dim});
  };
  h.q = split(p.q);
  h.k = o.static_k ? split_static(*o.static_k, "static_k") : split(p.k);
  h.v = o.static_v ? split_static(*o.static_v, "static_v") : split(p.v);
  if (o.add_zero_attn) {
    Shape one = h.k.shape();
    one[one.size() - 2] = 1;
    const Tensor zero = zeros(one, {.dtype = h.k.dtype(), .device = h.k.device()});
    h.k = cat({h.k, zero}, -2);
    h.v = cat({h.v, zero}, -2);
    h.extend_masks(1);
  }
  merge_padding(h, batch, heads);

  const double dropped = o.training ? static_cast<double>(o.dropout_p) : 0;
  // `output` is (L, N, num_heads, head_dim) or (L, N * num_heads, head_dim).
  const auto merged = [&](const Tensor& output) {
    const bool is_batch_first = output.dim() == 4 && output.transpose(0, 1).is_contiguous();
    const Tensor ordered = is_batch_first ? output.transpose(0, 1) : output;
    const Tensor y =
        taper::linear(ordered.reshape({rows * batch, size}), *o.out_proj_weight, o.out_proj_bias);
    const Tensor sequence = is_batch_first ? y.reshape({batch, rows, y.size(1)}).transpose(0, 1)
                                           : y.reshape({rows, batch, y.size(1)});
    return batched ? sequence : sequence.squeeze(1);
  };
  if (!o.need_weights) {
    const Tensor output = scaled_dot_product_attention(
        h.q, h.k, h.v, {.attn_mask = h.mask, .dropout_p = dropped, .is_causal = causal});
    return {merged(output.permute({2, 0, 1, 3})), Tensor()};
  }
  const Tensor scaled = h.q * std::sqrt(1.0 / static_cast<double>(head_dim));
  Tensor scores = scaled.bmm(h.k.transpose(-2, -1));
  if (h.mask.defined()) scores = scores + h.mask;
  Tensor weights = scores.softmax(-1);
  if (dropped > 0) weights = functional::dropout(weights, dropped);
  const Tensor output = merged(weights.bmm(h.v).transpose(0, 1));
  weights = weights.reshape({batch, heads, rows, h.k.size(1)});
  if (o.average_attn_weights) weights = weights.mean({1});
  return {output, batched ? weights : weights.squeeze(0)};
}

}  // namespace functional
}  // namespace taper::nn
