// Pointwise functions that are not an op of the same name.
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value zero_(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.zero_();
}

Value square_(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.square_();
}

template <Tensor (*function)(const Tensor&)> Value unary(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return function(x);
}

}  // namespace

void add_pointwise(FunctionTable& table) {
  table["Tensor.zero_"] = zero_;
  table["square"] = unary<square>;
  table["square_"] = square_;
}

}  // namespace taper::oracle
