// Attention.
#include "taper/nn/functional/attention.h"
#include "functions/table.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

Value call_scaled_dot_product_attention(Arguments& a) {
  const Tensor query = a.tensor("query"), key = a.tensor("key"), value = a.tensor("value");
  F::ScaledDotProductAttentionFuncOptions o;
  o.attn_mask = a.optional_tensor("attn_mask");
  o.dropout_p = a.number("dropout_p", 0.0);
  o.is_causal = a.boolean("is_causal", false);
  o.scale = a.optional_number("scale");
  o.enable_gqa = a.boolean("enable_gqa", false);
  a.done();
  return F::scaled_dot_product_attention(query, key, value, o);
}

Value call_multi_head_attention_forward(Arguments& a) {
  const Tensor query = a.tensor("query"), key = a.tensor("key"), value = a.tensor("value");
  F::MultiheadAttentionForwardFuncOptions o;
  o.embed_dim_to_check = a.integer("embed_dim_to_check");
  o.num_heads = a.integer("num_heads");
  o.in_proj_weight = a.optional_tensor("in_proj_weight");
  o.in_proj_bias = a.optional_tensor("in_proj_bias");
  o.bias_k = a.optional_tensor("bias_k");
  o.bias_v = a.optional_tensor("bias_v");
  o.add_zero_attn = a.boolean("add_zero_attn");
  o.dropout_p = a.number("dropout_p");
  o.out_proj_weight = a.tensor("out_proj_weight");
  o.out_proj_bias = a.optional_tensor("out_proj_bias");
  o.training = a.boolean("training", true);
  o.key_padding_mask = a.optional_tensor("key_padding_mask");
  o.need_weights = a.boolean("need_weights", true);
  o.attn_mask = a.optional_tensor("attn_mask");
  o.use_separate_proj_weight = a.boolean("use_separate_proj_weight", false);
  o.q_proj_weight = a.optional_tensor("q_proj_weight");
  o.k_proj_weight = a.optional_tensor("k_proj_weight");
  o.v_proj_weight = a.optional_tensor("v_proj_weight");
  o.static_k = a.optional_tensor("static_k");
  o.static_v = a.optional_tensor("static_v");
  o.average_attn_weights = a.boolean("average_attn_weights", true);
  o.is_causal = a.boolean("is_causal", false);
  a.done();
  const auto [output, weights] = F::multi_head_attention_forward(query, key, value, o);
  return Value::tuple({output, weights.defined() ? Value(weights) : Value()});
}

}  // namespace

void add_attention(FunctionTable& table) {
  table["F.scaled_dot_product_attention"] = call_scaled_dot_product_attention;
  table["F.multi_head_attention_forward"] = call_multi_head_attention_forward;
}

}  // namespace taper::oracle
