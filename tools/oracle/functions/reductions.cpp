// Reductions whose arguments differ from the attributes of their op.
#include "cases/outcome.h"
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

using All = Tensor (*)(const Tensor&);
using Some = Tensor (*)(const Tensor&, const Dims&, bool, std::optional<DType>);

template <All all, Some some> Value total(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dims = a.optional_shape("dim");
  const bool keepdim = a.boolean("keepdim", false);
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  return dims || dtype || keepdim ? some(x, dims.value_or(Dims{}), keepdim, dtype) : all(x);
}

Value sum_to_size(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("size");
  a.done();
  return x.sum_to_size(size);
}

using ArgReduction = Tensor (*)(const Tensor&, std::optional<IntArg>, bool);

template <ArgReduction function> Value arg_reduction(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dim = a.optional_integer("dim");
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  return function(x, dim, keepdim);
}

/// Arguments input, dim and correction, where `unbiased` is an alternative to correction.
struct Spread {
  Tensor x;
  Dims dims;
  Scalar correction = 1;
  bool keepdim = false;

  explicit Spread(Arguments& a) : x(a.tensor("input")) {
    dims = a.optional_shape("dim").value_or(Dims{});
    correction = a.boolean("unbiased", true) ? 1 : 0;
    correction = a.scalar("correction", correction);
    keepdim = a.boolean("keepdim", false);
    a.done();
  }
};

template <Tensor (*function)(const Tensor&, const Dims&, const Scalar&, bool)>
Value spread(Arguments& a) {
  const Spread s(a);
  return function(s.x, s.dims, s.correction, s.keepdim);
}

template <std::pair<Tensor, Tensor> (*function)(const Tensor&, const Dims&, const Scalar&, bool)>
Value spread_and_mean(Arguments& a) {
  const Spread s(a);
  const auto [width, mean] = function(s.x, s.dims, s.correction, s.keepdim);
  return Value::tuple({width, mean});
}

Value norm_of(Arguments& a, const std::string& name) {
  const Tensor x = a.tensor("input");
  const Value* p = a.next(name);
  const Value order = p && !p->is_none() ? *p : Value(2);
  const Dims dims = a.optional_shape("dim").value_or(Dims{});
  const bool keepdim = a.boolean("keepdim", false);
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  return order.is_string() ? norm(x, order.as_string(), dims, keepdim, dtype)
                           : norm(x, scalar_of(order), dims, keepdim, dtype);
}
Value call_norm(Arguments& a) { return norm_of(a, "p"); }
Value call_vector_norm(Arguments& a) { return norm_of(a, "ord"); }

Value call_frobenius_norm(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Dims dims = a.shape("dim");
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  return frobenius_norm(x, dims, keepdim);
}
Value call_nuclear_norm(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dims = a.optional_shape("dim");
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  return dims ? nuclear_norm(x, *dims, keepdim) : nuclear_norm(x, keepdim);
}

}  // namespace

void add_reductions(FunctionTable& table) {
  table["sum"] = total<sum, sum>;
  table["sum_to_size"] = sum_to_size;
  table["mean"] = total<mean, mean>;
  table["var"] = spread<var>;
  table["std"] = spread<taper::std>;
  table["var_mean"] = spread_and_mean<var_mean>;
  table["std_mean"] = spread_and_mean<std_mean>;
  table["norm"] = call_norm;
  table["linalg.vector_norm"] = call_vector_norm;
  table["frobenius_norm"] = call_frobenius_norm;
  table["nuclear_norm"] = call_nuclear_norm;
  table["argmax"] = arg_reduction<argmax>;
  table["argmin"] = arg_reduction<argmin>;
}

}  // namespace taper::oracle
