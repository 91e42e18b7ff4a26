#include "ops/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/attention/functions.h"
#include "ops/promote.h"

namespace taper {

double attention_scale(const std::optional<double>& scale, std::int64_t depth) {
  return scale ? *scale : 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, depth)));
}

std::int64_t heads_per_key_head(const Shape& query, const Shape& key) {
  if (query.size() < 3) return 1;
  const std::int64_t heads = query[query.size() - 3], key_heads = key[key.size() - 3];
  return key_heads == 0 || heads == key_heads ? 1 : heads / key_heads;
}

namespace {

/// Positions of the operands among the inputs.
struct Operands {
  int query, mask;
  int key() const { return query + 1; }
  int value() const { return query + 2; }
};
constexpr Operands kForward{0, 3}, kBackward{1, 8};

Shape leading(const Shape& s) { return Shape(std::span(s.begin(), s.size() - 2)); }

/// Returns true if the leading dimensions of keys or values match those of the query.
bool have_heads_of(const Shape& query, const Shape& key) {
  if (key.size() != query.size() || query.size() < 2) return false;
  for (std::size_t d = 0; d + 2 < query.size(); ++d) {
    const bool is_heads = d + 3 == query.size();
    const bool divides = is_heads && key[d] > 0 && query[d] > 0 && query[d] % key[d] == 0;
    if (key[d] != query[d] && !divides) return false;
  }
  return true;
}

/// Checks the operands and returns the shape of the scores (..., L, S).
Shape check_operands(const ShapeInference& i, const Operands& o) {
  const Shape &q = i.shape(o.query), &k = i.shape(o.key()), &v = i.shape(o.value());
  const std::size_t rank = q.size();
  if (!have_heads_of(q, k) || !have_heads_of(q, v) || leading(k) != leading(v) ||
      q[rank - 1] != k[rank - 1] || k[rank - 2] != v[rank - 2])
    i.fail("incompatible shapes: got query {}, key {} and value {}", q, k, v);
  if (i.dtype(o.key()) != i.dtype(o.query) || i.dtype(o.value()) != i.dtype(o.query))
    i.fail<DTypeError>("expected query, key and value of one dtype, got {}, {} and {}",
                       i.dtype(o.query), i.dtype(o.key()), i.dtype(o.value()));
  Shape scores = q;
  scores[rank - 1] = k[rank - 2];
  if (!i.has(o.mask)) return scores;
  const Shape& mask = i.shape(o.mask);
  const std::size_t lead = rank - std::min(rank, mask.size());
  bool fits = mask.size() <= rank;
  for (std::size_t d = 0; fits && d < mask.size(); ++d)
    fits = mask[d] == scores[lead + d] || mask[d] == 1;
  if (!fits) i.fail("attn_mask {} cannot be broadcast to the scores {}", mask, scores);
  if (i.dtype(o.mask) != DType::bool_ && i.dtype(o.mask) != i.dtype(o.query))
    i.fail<DTypeError>("expected attn_mask of dtype bool or {}, got {}", i.dtype(o.query),
                       i.dtype(o.mask));
  return scores;
}

/// Specifies an output of the given shape, whose dimensions except the last have the memory order
/// of an input.
void set_output_like(ShapeInference& i, const Shape& shape, int input, bool wanted = true) {
  OutputSpec& spec = i.outs[i.num_outputs];
  i.set_optional_output(wanted, shape, i.dtype(input));
  const Shape& strides = i.tensor(input).strides;
  Shape order;
  for (std::size_t d = 0; d + 1 < shape.size(); ++d) {
    if (strides[d] == 0 && shape[d] != 1) return;  // expanded: row-major
    order.push_back(static_cast<std::int64_t>(d));
  }
  const auto stride = [&](std::int64_t d) { return strides[static_cast<std::size_t>(d)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return stride(a) > stride(b); });
  if (!wanted || std::is_sorted(order.begin(), order.end()) || shape.numel() == 0) return;
  std::int64_t step = shape.back();
  spec.strides = Shape::filled(shape.size(), 1);
  for (std::size_t at = order.size(); at-- > 0;) {
    const auto d = static_cast<std::size_t>(order[at]);
    spec.strides[d] = step;
    step *= shape[d];
  }
}

double product_flops(const KernelArgs& k, int query, int products) {
  const Shape &q = *k.in[static_cast<std::size_t>(query)].shape,
              &v = *k.in[static_cast<std::size_t>(query + 2)].shape;
  double flops = products;
  for (const std::int64_t size : q) flops *= static_cast<double>(size);
  return flops * 2 * static_cast<double>(v[v.size() - 2]);
}

}  // namespace

void ScaledDotProductAttention::infer(ShapeInference& i) const {
  check_operands(i, kForward);
  const Shape& q = i.shape(0);
  Shape output = q;
  output[q.size() - 1] = i.shape(2).back();
  set_output_like(i, output, 0);
  output.resize(q.size() - 1);
  for (int statistic = 0; statistic < 2; ++statistic)
    i.set_output(output, opmath_dtype(i.dtype(0)));
}

void ScaledDotProductAttentionBackward::infer(ShapeInference& i) const {
  const Shape scores = check_operands(i, kBackward);
  const Shape& q = i.shape(1);
  Shape output = q;
  output[q.size() - 1] = i.shape(3).back();
  for (const int at : {0, 4}) {
    if (i.shape(at) != output)
      i.fail("expected {} of shape {}, got {}", at == 0 ? "grad_out" : "out", output, i.shape(at));
    if (i.dtype(at) != i.dtype(1))
      i.fail<DTypeError>("expected {} of dtype {}, got {}", at == 0 ? "grad_out" : "out",
                         i.dtype(1), i.dtype(at));
  }
  output.resize(q.size() - 1);
  for (const int at : {5, 6, 7}) {
    const std::string_view name = at == 5 ? "maximum" : at == 6 ? "log_sum" : "grad_log_sum";
    if (!i.has(at)) continue;
    if (i.shape(at) != output) i.fail("expected {} of shape {}, got {}", name, output, i.shape(at));
    if (!is_floating_point(i.dtype(at)))
      i.fail<DTypeError>("expected {} of a floating-point dtype, got {}", name, i.dtype(at));
  }
  if (compute_grad_mask && !(i.has(8) && is_floating_point(i.dtype(8))))
    i.fail<ValueError>("the gradient of attn_mask requires a mask of floating-point numbers");
  set_output_like(i, q, 1, compute_grad_query);
  set_output_like(i, i.shape(2), 2, compute_grad_key);
  set_output_like(i, i.shape(3), 3, compute_grad_value);
  i.set_optional_output(compute_grad_mask, scores, i.dtype(1));
}

double ScaledDotProductAttention::flops(const KernelArgs& k) const {
  return product_flops(k, kForward.query, 2) * (is_causal ? 0.5 : 1);
}
double ScaledDotProductAttentionBackward::flops(const KernelArgs& k) const {
  return product_flops(k, kBackward.query, 5) * (is_causal ? 0.5 : 1);
}

TAPER_DEFINE_OP(scaled_dot_product_attention, ScaledDotProductAttention);
TAPER_DEFINE_OP(scaled_dot_product_attention_backward, ScaledDotProductAttentionBackward);

std::pair<Tensor, Tensor> scaled_dot_product_flash_attention(const Tensor& query, const Tensor& key,
                                                             const Tensor& value,
                                                             OptionalTensorRef attn_mask,
                                                             bool is_causal,
                                                             std::optional<FloatArg> scale) {
  ScaledDotProductAttention op{is_causal};
  if (scale) op.scale = *scale;
  const auto [output, maximum, log_sum] =
      run_all(op, query, key, value, attn_mask.value_or_undefined());
  return {output, maximum + log_sum};
}

}  // namespace taper
