// Products and matrix functions that consist of several ops, or whose op has another name.
#include "functions/table.h"
#include "taper/core/tensor.h"
#include "taper/nn/functional/linear.h"

namespace taper::oracle {
namespace {

Value call_linear(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  const std::optional<Tensor> bias = a.optional_tensor("bias");
  a.done();
  return nn::functional::linear(x, weight, bias);
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
Value call_chain_matmul(Arguments& a) {
  std::vector<Tensor> matrices;
  while (a.peek("matrices")) matrices.push_back(a.tensor("matrices"));
  a.done();
  return chain_matmul(matrices);
}
Value rmatmul(Arguments& a) {
  const Tensor x = a.tensor("input"), left = a.tensor("other");
  a.done();
  return matmul(left, x);
}
Value call_outer(Arguments& a) { return binary<outer>(a, "input", "vec2"); }
Value call_householder_product(Arguments& a) {
  return binary<linalg::householder_product>(a, "input", "tau");
}

/// Calls an in-place method x.method(a, b, beta, alpha), whose operands have these names.
template <const Tensor& (ops::LinalgMethods::*method)(const Tensor&, const Tensor&, const Scalar&,
                                                      const Scalar&) const>
Value in_place(Arguments& a, const std::string& first, const std::string& second) {
  const Tensor x = a.tensor("input"), left = a.tensor(first), right = a.tensor(second);
  const Scalar beta = a.scalar("beta", 1), alpha = a.scalar("alpha", 1);
  a.done();
  return (x.*method)(left, right, beta, alpha);
}
Value addmm_(Arguments& a) { return in_place<&Tensor::addmm_>(a, "mat1", "mat2"); }
Value addmv_(Arguments& a) { return in_place<&Tensor::addmv_>(a, "mat", "vec"); }
Value baddbmm_(Arguments& a) { return in_place<&Tensor::baddbmm_>(a, "batch1", "batch2"); }

}  // namespace

void add_products(FunctionTable& table) {
  table["matmul"] = table["Tensor.__matmul__"] = call_matmul;
  table["torch.chain_matmul"] = call_chain_matmul;
  table["F.linear"] = call_linear;
  table["Tensor.__rmatmul__"] = rmatmul;
  table["outer"] = table["torch.ger"] = call_outer;
  table["matrix_exp"] = call_matrix_exp;
  table["Tensor.addmm_"] = addmm_;
  table["Tensor.addmv_"] = addmv_;
  table["Tensor.baddbmm_"] = baddbmm_;
  table["linalg.householder_product"] = call_householder_product;
}

}  // namespace taper::oracle
