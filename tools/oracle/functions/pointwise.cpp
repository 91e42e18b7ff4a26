// Pointwise functions that are not an op of the same name.
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value call_zero(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.zero_();
}

Value call_square(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.square_();
}

template <Tensor (*function)(const Tensor&)> Value unary(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return function(x);
}

// Python's reflected operators: x.__rsub__(other) is other - x.
template <class F> Value reflected(Arguments& a, F&& f) {
  const Tensor x = a.tensor("input");
  const Value other = a.value("other");
  a.done();
  return other.is_tensor() ? f(other.as_tensor(), x) : f(scalar_of(other), x);
}
Value radd(Arguments& a) {
  return reflected(a, [](const auto& left, const Tensor& right) { return left + right; });
}
Value rsub(Arguments& a) {
  return reflected(a, [](const auto& left, const Tensor& right) { return left - right; });
}
Value rmul(Arguments& a) {
  return reflected(a, [](const auto& left, const Tensor& right) { return left * right; });
}
Value rdiv(Arguments& a) {
  // The reciprocal of integers has the default dtype, whatever the dtype of the dividend.
  return reflected(a,
                   [](const auto& left, const Tensor& right) { return right.reciprocal() * left; });
}
Value rpow(Arguments& a) {
  return reflected(a, [](const auto& left, const Tensor& right) { return pow(left, right); });
}
Value rmod(Arguments& a) {
  return reflected(a, [](const auto& left, const Tensor& right) { return left % right; });
}
Value rand(Arguments& a) {
  return reflected(a, [](const auto& left, const Tensor& right) { return left & right; });
}
Value ror(Arguments& a) {
  return reflected(a, [](const auto& left, const Tensor& right) { return left | right; });
}
Value rxor(Arguments& a) {
  return reflected(a, [](const auto& left, const Tensor& right) { return left ^ right; });
}

template <bool inplace> Value call_floor_divide(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value other = a.value("other");
  a.done();
  if (other.is_tensor())
    return inplace ? x.floor_divide_(other.as_tensor()) : x.floor_divide(other.as_tensor());
  return inplace ? x.floor_divide_(scalar_of(other)) : x.floor_divide(scalar_of(other));
}

}  // namespace

void add_pointwise(FunctionTable& table) {
  table["Tensor.__radd__"] = radd;
  table["Tensor.__rsub__"] = rsub;
  table["Tensor.__rmul__"] = rmul;
  table["Tensor.__rdiv__"] = rdiv;
  table["Tensor.__rpow__"] = rpow;
  table["Tensor.__rmod__"] = rmod;
  table["Tensor.__rand__"] = rand;
  table["Tensor.__ror__"] = ror;
  table["Tensor.__rxor__"] = rxor;
  table["floor_divide"] = call_floor_divide<false>;
  table["floor_divide_"] = call_floor_divide<true>;
  table["Tensor.zero_"] = call_zero;
  table["square"] = unary<square>;
  table["square_"] = call_square;
}

}  // namespace taper::oracle
