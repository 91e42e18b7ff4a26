// Softmax and losses.
#include "functions/table.h"
#include "taper/core/tensor.h"
#include "taper/nn/functional.h"

namespace taper::oracle {
namespace {

template <Tensor (*function)(const Tensor&, IntArg, std::optional<DType>)>
Value along(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  return function(x, dim, dtype);
}

Value call_softmin(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dim = a.optional_integer("dim");
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  return F::softmin(x, {.dim = dim, .dtype = dtype});
}

Value call_nll_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::NLLLossFuncOptions o;
  o.weight = a.optional_tensor("weight");
  o.ignore_index = a.integer("ignore_index", o.ignore_index);
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::nll_loss(x, target, o);
}

Value call_cross_entropy(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::CrossEntropyFuncOptions o;
  o.weight = a.optional_tensor("weight");
  o.ignore_index = a.integer("ignore_index", o.ignore_index);
  o.reduction = a.text("reduction", o.reduction);
  o.label_smoothing = a.number("label_smoothing", o.label_smoothing);
  a.done();
  return F::cross_entropy(x, target, o);
}

Value call_linear_cross_entropy(Arguments& a) {
  const Tensor x = a.tensor("input"), linear_weight = a.tensor("linear_weight"),
               target = a.tensor("target");
  F::LinearCrossEntropyFuncOptions o;
  o.linear_bias = a.optional_tensor("linear_bias");
  o.weight = a.optional_tensor("weight");
  o.reduction = a.text("reduction", o.reduction);
  if (const auto index = a.optional_integer("ignore_index")) o.ignore_index = *index;
  o.label_smoothing = a.number("label_smoothing", o.label_smoothing);
  a.done();
  return F::linear_cross_entropy(x, linear_weight, target, o);
}

template <Tensor (*function)(const Tensor&, const Tensor&, const F::MSELossFuncOptions&)>
Value between(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::MSELossFuncOptions o;
  o.reduction = a.text("reduction", o.reduction);
  o.weight = a.optional_tensor("weight");
  a.done();
  return function(x, target, o);
}

Value call_smooth_l1(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::SmoothL1LossFuncOptions o;
  o.reduction = a.text("reduction", o.reduction);
  o.beta = a.number("beta", o.beta);
  a.done();
  return F::smooth_l1_loss(x, target, o);
}

}  // namespace

void add_losses(FunctionTable& table) {
  table["softmax"] = along<softmax>;
  table["log_softmax"] = along<log_softmax>;
  table["F.softmin"] = call_softmin;
  table["F.mse_loss"] = between<F::mse_loss>;
  table["F.l1_loss"] = between<F::l1_loss>;
  table["F.smooth_l1_loss"] = call_smooth_l1;
  table["F.nll_loss"] = call_nll_loss;
  table["F.linear_cross_entropy"] = call_linear_cross_entropy;
  table["F.cross_entropy"] = call_cross_entropy;
}

}  // namespace taper::oracle
