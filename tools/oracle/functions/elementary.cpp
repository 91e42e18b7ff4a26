// Elementary and special functions that are not an op of the same name, and activations.
#include "functions/table.h"
#include "taper/core/tensor.h"
#include "taper/nn/functional.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

template <Tensor (*function)(const Tensor&)> Value unary(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return function(x);
}

// Activations with an argument `inplace`. A trailing underscore also selects the in-place form.
template <Tensor (*function)(const Tensor&, const F::ReLUFuncOptions&)>
Value activation(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool in_place = a.boolean("inplace", false);
  a.done();
  return function(x, {.inplace = in_place});
}
template <bool inplace> Value call_celu(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Scalar alpha = a.scalar("alpha", Scalar(1.0));
  const bool in_place = a.boolean("inplace", inplace);
  a.done();
  return F::celu(x, alpha, {.inplace = in_place});
}
Value call_glu(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim", -1);
  a.done();
  return F::glu(x, dim);
}
Value call_prelu(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  a.done();
  return F::prelu(x, weight);
}

template <bool inplace> Value call_ldexp(Arguments& a) {
  const Tensor x = a.tensor("input"), other = a.tensor("other");
  a.done();
  return inplace ? x.ldexp_(other) : x.ldexp(other);
}
template <bool inplace> Value call_float_power(Arguments& a) {
  const Value base = a.value("input"), exponent = a.value("exponent");
  a.done();
  if (!base.is_tensor()) return float_power(scalar_of(base), exponent.as_tensor());
  const Tensor x = base.as_tensor();
  if (exponent.is_tensor())
    return inplace ? x.float_power_(exponent.as_tensor()) : x.float_power(exponent.as_tensor());
  return inplace ? x.float_power_(scalar_of(exponent)) : x.float_power(scalar_of(exponent));
}
Value call_isclose(Arguments& a) {
  const Tensor x = a.tensor("input"), other = a.tensor("other");
  const double rtol = a.number("rtol", 1e-5), atol = a.number("atol", 1e-8);
  const bool equal_nan = a.boolean("equal_nan", false);
  a.done();
  return isclose(x, other, rtol, atol, equal_nan);
}
Value call_conj_physical_(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.conj_physical_();
}
template <bool inplace> Value call_mvlgamma(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t p = a.integer("p");
  a.done();
  return inplace ? x.mvlgamma_(p) : x.mvlgamma(p);
}
template <bool inplace> Value call_fill(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value value = a.value("value");
  a.done();
  if (value.is_tensor()) return inplace ? x.fill_(value.as_tensor()) : fill(x, value.as_tensor());
  return inplace ? x.fill_(scalar_of(value)) : fill(x, scalar_of(value));
}

}  // namespace

void add_elementary(FunctionTable& table) {
  table["F.silu"] = activation<F::silu>;
  table["F.mish"] = activation<F::mish>;
  table["F.hardsigmoid"] = activation<F::hardsigmoid>;
  table["F.celu"] = call_celu<false>;
  table["celu_"] = call_celu<true>;
  table["F.logsigmoid"] = unary<F::logsigmoid>;
  table["F.tanhshrink"] = unary<F::tanhshrink>;
  table["F.glu"] = call_glu;
  table["prelu"] = call_prelu;
  table["ldexp"] = call_ldexp<false>;
  table["ldexp_"] = call_ldexp<true>;
  table["float_power"] = call_float_power<false>;
  table["float_power_"] = call_float_power<true>;
  table["isclose"] = call_isclose;
  table["fill"] = call_fill<false>;
  table["fill_"] = call_fill<true>;
  table["mvlgamma"] = call_mvlgamma<false>;
  table["mvlgamma_"] = call_mvlgamma<true>;
  table["positive"] = unary<positive>;
  table["real"] = unary<real>;
  table["conj"] = unary<conj>;
  table["conj_physical"] = unary<conj_physical>;
  table["conj_physical_"] = call_conj_physical_;
  table["resolve_conj"] = unary<resolve_conj>;
  table["resolve_neg"] = unary<resolve_neg>;
}

}  // namespace taper::oracle
