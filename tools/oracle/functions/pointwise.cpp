// Pointwise functions whose overloads are selected by their arguments.
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value div_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value other = a.value("other");
  const Value* given = a.next("rounding_mode");
  const std::string mode = given && !given->is_none() ? given->as_string() : "";
  a.done();
  if (mode.empty()) return other.is_tensor() ? div(x, other.as_tensor()) : div(x, scalar_of(other));
  return other.is_tensor() ? div(x, other.as_tensor(), mode) : div(x, scalar_of(other), mode);
}

Value pow_(Arguments& a) {
  const Value base = a.value("input"), exponent = a.value("exponent");
  a.done();
  if (!base.is_tensor()) return pow(scalar_of(base), exponent.as_tensor());
  return exponent.is_tensor() ? pow(base.as_tensor(), exponent.as_tensor())
                              : pow(base.as_tensor(), scalar_of(exponent));
}

Value lerp_(Arguments& a) {
  const Tensor x = a.tensor("input"), end = a.tensor("end");
  const Value weight = a.value("weight");
  a.done();
  return weight.is_tensor() ? lerp(x, end, weight.as_tensor()) : lerp(x, end, scalar_of(weight));
}

Value clamp_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value* lowest = a.next("min");
  const Value low = lowest ? *lowest : Value();
  const Value* highest = a.next("max");
  const Value high = highest ? *highest : Value();
  a.done();
  if (low.is_tensor() && high.is_tensor()) return clamp(x, low.as_tensor(), high.as_tensor());
  if (low.is_tensor()) return clamp_min(x, low.as_tensor());
  if (high.is_tensor()) return clamp_max(x, high.as_tensor());
  const auto number = [](const Value& v) {
    return v.is_none() ? std::nullopt : std::optional(scalar_of(v));
  };
  return clamp(x, number(low), number(high));
}

Value where_(Arguments& a) {
  const Tensor condition = a.tensor("condition");
  const Value x = a.value("input"), y = a.value("other");
  a.done();
  if (x.is_tensor())
    return y.is_tensor() ? where(condition, x.as_tensor(), y.as_tensor())
                         : where(condition, x.as_tensor(), scalar_of(y));
  return y.is_tensor() ? where(condition, scalar_of(x), y.as_tensor())
                       : where(condition, scalar_of(x), scalar_of(y));
}

Value zero_(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.zero_();
}

template <Tensor (*function)(const Tensor&)> Value unary(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return function(x);
}

}  // namespace

void add_pointwise(FunctionTable& table) {
  table["torch.div"] = div_;
  table["torch.pow"] = pow_;
  table["torch.lerp"] = lerp_;
  table["torch.clamp"] = clamp_;
  table["torch.where"] = where_;
  table["Tensor.zero_"] = zero_;
  table["torch.square"] = unary<square>;
}

}  // namespace taper::oracle
