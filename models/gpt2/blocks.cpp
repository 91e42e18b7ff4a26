// The parts of GPT-2: projections, attention, MLP, block.
#include <cmath>

#include "gpt2/gpt2.h"
#include "huggingface/activations.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"

namespace gpt2 {

using namespace taper;
using huggingface::attend;
using huggingface::split_heads;

TAPER_LAYER_MEMBERS(Conv1D, weight, bias)
TAPER_LAYER_MEMBERS(GPT2Attention, c_attn, c_proj, attn_dropout, resid_dropout)
TAPER_LAYER_MEMBERS(GPT2MLP, c_fc, c_proj, act, dropout)
TAPER_LAYER_MEMBERS(GPT2Block, ln_1, attn, ln_2, mlp)

double GPT2Config::residual_std() const {
  return initializer_range / std::sqrt(2.0 * static_cast<double>(n_layer));
}

Conv1D::Conv1D(std::int64_t out, std::int64_t in)
    : nf(out), nx(in), weight(empty({in, out})), bias(zeros({out})) {
  nn::init::normal_(weight, 0, 0.02);
}

Tensor Conv1D::forward(const Tensor& x) const {
  Shape shape = x.shape();
  shape[shape.size() - 1] = nf;
  return addmm(bias, x.reshape({-1, nx}), weight).view(shape);
}

std::string Conv1D::extra_repr() const {
  return "nf=" + std::to_string(nf) + ", nx=" + std::to_string(nx);
}

GPT2Attention::GPT2Attention(const GPT2Config& c, std::int64_t index)
    : head_dim(c.n_embd / c.n_head),
      layer_idx(index),
      scaling(c.scale_attn_weights ? 1 / std::sqrt(static_cast<double>(head_dim)) : 1),
      residual_std(c.residual_std()),
      c_attn(3 * c.n_embd, c.n_embd),
      c_proj(c.n_embd, c.n_embd),
      attn_dropout(c.attn_pdrop),
      resid_dropout(c.resid_pdrop) {
  if (c.scale_attn_by_inverse_layer_idx) scaling /= static_cast<double>(layer_idx + 1);
}

Tensor GPT2Attention::forward(const Tensor& x, const AttentionMask& mask,
                              DynamicCache* cache) const {
  const std::vector<Tensor> parts = c_attn(x).chunk(3, -1);
  const Tensor query = split_heads(parts[0], head_dim);
  Tensor key = split_heads(parts[1], head_dim), value = split_heads(parts[2], head_dim);
  if (cache) std::tie(key, value) = cache->update(key, value, static_cast<std::size_t>(layer_idx));
  const double dropout = training ? attn_dropout.p.to_double() : 0;
  return resid_dropout(c_proj(attend(query, key, value, mask, scaling, dropout)));
}

GPT2MLP::GPT2MLP(std::int64_t intermediate_size, const GPT2Config& c)
    : residual_std(c.residual_std()),
      c_fc(intermediate_size, c.n_embd),
      c_proj(c.n_embd, intermediate_size),
      act(huggingface::make_activation(c.activation_function)),
      dropout(c.resid_pdrop) {}

Tensor GPT2MLP::forward(const Tensor& x) const { return dropout(c_proj((*act)(c_fc(x)))); }

GPT2Block::GPT2Block(const GPT2Config& c, std::int64_t layer_idx)
    : ln_1(c.n_embd, {.eps = c.layer_norm_epsilon}),
      attn(c, layer_idx),
      ln_2(c.n_embd, {.eps = c.layer_norm_epsilon}),
      mlp(c.n_inner.value_or(4 * c.n_embd), c) {}

Tensor GPT2Block::forward(const Tensor& x, const AttentionMask& mask, DynamicCache* cache) const {
  const Tensor attended = attn(ln_1(x), mask, cache) + x;
  return attended + mlp(ln_2(attended));
}

}  // namespace gpt2
