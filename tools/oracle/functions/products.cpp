// Products and matrix functions that consist of several ops, or whose op has another name.
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value linear_(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  const std::optional<Tensor> bias = a.optional_tensor("bias");
  a.done();
  return linear(x, weight, bias);
}

Value matrix_exp_(Arguments& a) {
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
Value matmul_(Arguments& a) { return binary<matmul>(a, "input", "other"); }
Value rmatmul(Arguments& a) {
  const Tensor x = a.tensor("input"), left = a.tensor("other");
  a.done();
  return matmul(left, x);
}
Value outer_(Arguments& a) { return binary<outer>(a, "input", "vec2"); }
Value solve_(Arguments& a) { return binary<linalg::solve>(a, "A", "B"); }
Value householder_product_(Arguments& a) {
  return binary<linalg::householder_product>(a, "input", "tau");
}

}  // namespace

void add_products(FunctionTable& table) {
  table["matmul"] = matmul_;
  table["F.linear"] = linear_;
  table["Tensor.__rmatmul__"] = rmatmul;
  table["outer"] = table["torch.ger"] = outer_;
  table["matrix_exp"] = matrix_exp_;
  table["linalg.solve"] = solve_;
  table["linalg.householder_product"] = householder_product_;
}

}  // namespace taper::oracle
