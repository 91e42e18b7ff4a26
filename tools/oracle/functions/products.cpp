// Products that consist of several ops.
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value matmul_(Arguments& a) {
  const Tensor x = a.tensor("input"), y = a.tensor("other");
  a.done();
  return matmul(x, y);
}

Value outer_(Arguments& a) {
  const Tensor x = a.tensor("input"), y = a.tensor("vec2");
  a.done();
  return outer(x, y);
}

Value linear_(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  const std::optional<Tensor> bias = a.optional_tensor("bias");
  a.done();
  return linear(x, weight, bias);
}

}  // namespace

void add_products(FunctionTable& table) {
  table["torch.matmul"] = table["Tensor.matmul"] = matmul_;
  table["F.linear"] = linear_;
  table["torch.outer"] = table["torch.ger"] = outer_;
}

}  // namespace taper::oracle
