// Reductions, whose overloads are told apart by their arguments.
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

using Along = std::pair<Tensor, Tensor> (*)(const Tensor&, std::int64_t, bool);

using Both = Tensor (*)(const Tensor&, const Tensor&);

template <Along along, Both both> Value extreme(Arguments& a) {
  const Tensor x = a.tensor("input");
  if (const Value* other = a.peek("other"); other && other->is_tensor()) {
    const Tensor y = a.tensor("other");
    a.done();
    return both(x, y);
  }
  if (!a.peek("dim")) throw Missing(a.callee() + " of all elements");
  const std::int64_t dim = a.integer("dim");
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  const auto [values, indices] = along(x, dim, keepdim);
  return Value::tuple({values, indices});
}

using Place = Tensor (*)(const Tensor&, std::optional<std::int64_t>, bool);

template <Place function> Value place(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dim = a.optional_integer("dim");
  const bool keepdim = a.boolean("keepdim", false);
  a.done();
  return function(x, dim, keepdim);
}

}  // namespace

void add_reductions(FunctionTable& table) {
  table["torch.sum"] = total<sum, sum>;
  table["torch.mean"] = total<mean, mean>;
  table["torch.max"] = extreme<max, maximum>;
  table["torch.min"] = extreme<min, minimum>;
  table["torch.argmax"] = place<argmax>;
  table["torch.argmin"] = place<argmin>;
}

}  // namespace taper::oracle
