// Embeddings and one-hot vectors.
#include "functions/table.h"
#include "taper/nn/functional/embedding.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

Value call_embedding(Arguments& a) {
  const Tensor input = a.tensor("input"), weight = a.tensor("weight");
  F::EmbeddingFuncOptions o;
  o.padding_idx = a.optional_integer("padding_idx");
  o.max_norm = a.optional_number("max_norm");
  o.norm_type = a.number("norm_type", o.norm_type);
  o.scale_grad_by_freq = a.boolean("scale_grad_by_freq", false);
  a.boolean("sparse", false);
  a.done();
  return F::embedding(input, weight, o);
}

Value call_embedding_bag(Arguments& a) {
  const Tensor input = a.tensor("input"), weight = a.tensor("weight");
  F::EmbeddingBagFuncOptions o;
  o.offsets = a.optional_tensor("offsets");
  o.max_norm = a.optional_number("max_norm");
  o.norm_type = a.number("norm_type", o.norm_type);
  o.scale_grad_by_freq = a.boolean("scale_grad_by_freq", false);
  o.mode = a.text("mode", o.mode);
  a.boolean("sparse", false);
  o.per_sample_weights = a.optional_tensor("per_sample_weights");
  o.include_last_offset = a.boolean("include_last_offset", false);
  o.padding_idx = a.optional_integer("padding_idx");
  a.done();
  return F::embedding_bag(input, weight, o);
}

Value call_one_hot(Arguments& a) {
  const Tensor input = a.tensor("input");
  const std::int64_t classes = a.integer("num_classes", -1);
  a.done();
  return F::one_hot(input, classes);
}

}  // namespace

void add_embeddings(FunctionTable& table) {
  table["F.embedding"] = call_embedding;
  table["F.embedding_bag"] = call_embedding_bag;
  table["F.one_hot"] = call_one_hot;
}

}  // namespace taper::oracle
