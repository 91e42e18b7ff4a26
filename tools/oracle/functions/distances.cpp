// Distances and the bilinear form.
#include "functions/table.h"
#include "taper/core/tensor.h"
#include "taper/ops/distance.h"

namespace taper::oracle {
namespace {

Value call_cosine_similarity(Arguments& a) {
  const Tensor x1 = a.tensor("x1"), x2 = a.tensor("x2");
  const std::int64_t dim = a.integer("dim", 1);
  const double eps = a.number("eps", 1e-8);
  a.done();
  return cosine_similarity(x1, x2, dim, eps);
}

Value call_pairwise_distance(Arguments& a) {
  const Tensor x1 = a.tensor("x1"), x2 = a.tensor("x2");
  const double p = a.number("p", 2.0), eps = a.number("eps", 1e-6);
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  return pairwise_distance(x1, x2, p, eps, keepdim);
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
