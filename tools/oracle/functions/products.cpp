// Products and matrix functions that consist of several ops, or whose op has another name.
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value call_linear(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  const std::optional<Tensor> bias = a.optional_tensor("bias");
  a.done();
  return linear(x, weight, bias);
}

Value call_matrix_exp(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return matrix_exp(x);
}

template <Tensor (*function)(const Tensor&, const Tensor&)>
Value binary(Arguments& a, const std::string& first, const std::string& second) {
  const Tensor x = a.tensor(first), y = a.tensor(second);
  a.done();
  return function(x, y);
}
Value call_matmul(Arguments& a) { return binary<matmul>(a, "input", "other"); }
Value rmatmul(Arguments& a) {
  const Tensor x = a.tensor("input"), left = a.tensor("other");
  a.done();
  return matmul(left, x);
}
Value call_outer(Arguments& a) { return binary<outer>(a, "input", "vec2"); }
Value call_householder_product(Arguments& a) {
  return binary<linalg::householder_product>(a, "input", "tau");
}

}  // namespace

void add_products(FunctionTable& table) {
  table["matmul"] = call_matmul;
  table["F.linear"] = call_linear;
  table["Tensor.__rmatmul__"] = rmatmul;
  table["outer"] = table["torch.ger"] = call_outer;
  table["matrix_exp"] = call_matrix_exp;
  table["linalg.householder_product"] = call_householder_product;
}

}  // namespace taper::oracle
