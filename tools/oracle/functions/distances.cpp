// Distances and the bilinear form.
#include "functions/table.h"
#include "taper/core/tensor.h"
#include "taper/ops/distance.h"

namespace taper::oracle {
namespace {

Value call_cosine_similarity(Arguments& a) {
  const Tensor x1 = a.tensor("x1"), x2 = a.tensor("x2");
  CosineSimilarityFuncOptions o;
  o.dim = a.integer("dim", o.dim);
  o.eps = a.number("eps", o.eps);
  a.done();
  return cosine_similarity(x1, x2, o);
}

Value call_pairwise_distance(Arguments& a) {
  const Tensor x1 = a.tensor("x1"), x2 = a.tensor("x2");
  PairwiseDistanceFuncOptions o;
  o.p = a.number("p", o.p);
  o.eps = a.number("eps", o.eps);
  o.keepdim = a.boolean("keepdim", o.keepdim);
  a.done();
  return pairwise_distance(x1, x2, o);
}

Value call_pdist(Arguments& a) {
  const Tensor x = a.tensor("input");
  const double p = a.number("p", 2.0);
  a.done();
  return pdist(x, p);
}

Value call_bilinear(Arguments& a) {
  const Tensor x1 = a.tensor("input1"), x2 = a.tensor("input2"), weight = a.tensor("weight");
  const std::optional<Tensor> bias = a.optional_tensor("bias");
  a.done();
  return bilinear(x1, x2, weight, bias);
}

}  // namespace

void add_distances(FunctionTable& table) {
  table["cosine_similarity"] = call_cosine_similarity;
  table["pairwise_distance"] = call_pairwise_distance;
  table["pdist"] = call_pdist;
  table["bilinear"] = call_bilinear;
}

}  // namespace taper::oracle
