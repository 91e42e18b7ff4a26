// Reductions whose overloads are selected by their arguments.
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

using Along = std::pair<Tensor, Tensor> (*)(const Tensor&, IntArg, bool);

using Both = Tensor (*)(const Tensor&, const Tensor&);

template <All all, Along along, Both both> Value extreme(Arguments& a) {
  const Tensor x = a.tensor("input");
  if (const Value* other = a.peek("other"); other && other->is_tensor()) {
    const Tensor y = a.tensor("other");
    a.done();
    return both(x, y);
  }
  if (!a.peek("dim")) {
    a.done();
    return all(x);
  }
  const std::int64_t dim = a.integer("dim");
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  const auto [values, indices] = along(x, dim, keepdim);
  return Value::tuple({values, indices});
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
    if (const Value* dim = a.peek("dim"); dim && dim->is_bool())
      correction = a.boolean("dim") ? 1 : 0;  // the deprecated torch.var(input, unbiased)
    else
      dims = a.optional_shape("dim").value_or(Dims{});
    if (const Value* unbiased = a.named("unbiased")) correction = unbiased->as_bool() ? 1 : 0;
    if (const Value* given = a.named("correction"); given && !given->is_none())
      correction = scalar_of(*given);
    if (const Value* keep = a.named("keepdim")) keepdim = keep->as_bool();
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

Value prod_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dim = a.optional_integer("dim");
  const bool keepdim = a.boolean("keepdim", false);
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  if (dim) return prod(x, *dim, keepdim, dtype);
  return prod(dtype ? x.to(*dtype) : x);
}

/// Returns the order of a norm. None and "fro" mean 2.
Scalar order(Arguments& a, const std::string& name) {
  const Value* p = a.next(name);
  if (!p || p->is_none() || (p->is_string() && p->as_string() == "fro")) return 2;
  if (p->is_string()) throw Unsupported(a.callee() + " of order " + p->as_string());
  return scalar_of(*p);
}

Value norm_of(Arguments& a, const std::string& name) {
  const Tensor x = a.tensor("input");
  const Scalar p = order(a, name);
  const auto dims = a.optional_shape("dim");
  const bool keepdim = a.boolean("keepdim", false);
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  return norm(x, p, dims.value_or(Dims{}), keepdim, dtype);
}
Value norm_(Arguments& a) { return norm_of(a, "p"); }
Value vector_norm_(Arguments& a) { return norm_of(a, "ord"); }

}  // namespace

void add_reductions(FunctionTable& table) {
  table["torch.sum"] = total<sum, sum>;
  table["torch.mean"] = total<mean, mean>;
  table["torch.max"] = extreme<max, max, maximum>;
  table["torch.min"] = extreme<min, min, minimum>;
  table["torch.prod"] = prod_;
  table["torch.var"] = spread<var>;
  table["torch.std"] = spread<taper::std>;
  table["torch.var_mean"] = spread_and_mean<var_mean>;
  table["torch.std_mean"] = spread_and_mean<std_mean>;
  table["torch.norm"] = table["Tensor.norm"] = norm_;
  table["torch.linalg.vector_norm"] = vector_norm_;
  table["torch.argmax"] = arg_reduction<argmax>;
  table["torch.argmin"] = arg_reduction<argmin>;
}

}  // namespace taper::oracle
