// Reductions into selected elements, selection by flat index, and index tuples.
#include "functions/table.h"
#include "taper/core/factory.h"

namespace taper::oracle {
namespace {

template <bool in_place> Value call_scatter_reduce(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Tensor index = a.tensor("index"), src = a.tensor("src");
  const std::string reduce = a.text("reduce");
  const bool include_self = a.boolean("include_self", true);
  a.done();
  if (in_place) return x.scatter_reduce_(dim, index, src, reduce, include_self);
  return scatter_reduce(x, dim, index, src, reduce, include_self);
}
template <bool in_place> Value call_index_reduce(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Tensor index = a.tensor("index"), source = a.tensor("source");
  const std::string reduce = a.text("reduce");
  const bool include_self = a.boolean("include_self", true);
  a.done();
  if (in_place) return x.index_reduce_(dim, index, source, reduce, include_self);
  return index_reduce(x, dim, index, source, reduce, include_self);
}
/// All overloads of scatter: a tensor or a number as the source, with or without a reduction.
template <bool in_place> Value scatter_any(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Tensor index = a.tensor("index");
  const Value src = a.value(a.peek("src") ? "src" : "value");
  const std::string reduce = a.text("reduce", "");
  a.done();
  const auto call = [&](const auto& source) -> Tensor {
    if (reduce.empty())
      return in_place ? x.scatter_(dim, index, source) : x.scatter(dim, index, source);
    return in_place ? x.scatter_(dim, index, source, reduce)
                    : x.scatter(dim, index, source, reduce);
  };
  return src.is_tensor() ? call(src.as_tensor()) : call(scalar_of(src));
}
Value call_take(Arguments& a) {
  const Tensor x = a.tensor("input"), index = a.tensor("index");
  a.done();
  return take(x, index);
}
template <bool in_place> Value call_put(Arguments& a) {
  const Tensor x = a.tensor("input"), index = a.tensor("index"), source = a.tensor("source");
  const bool accumulate = a.boolean("accumulate", false);
  a.done();
  return in_place ? x.put_(index, source, accumulate) : put(x, index, source, accumulate);
}
Value call_argwhere(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return argwhere(x);
}
Value call_unravel_index(Arguments& a) {
  const Tensor x = a.tensor("indices");
  const Shape shape = a.shape("shape");
  a.done();
  const std::vector<Tensor> parts = unravel_index(x, shape);
  return Value::tuple(Values(parts.begin(), parts.end()));
}

TensorOptions new_options(Arguments& a) {
  return {.dtype = a.optional_dtype("dtype"), .requires_grad = a.boolean("requires_grad", false)};
}
Value new_zeros(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("size");
  const TensorOptions options = new_options(a);
  a.done();
  return x.new_zeros(size, options);
}
Value new_ones(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("size");
  const TensorOptions options = new_options(a);
  a.done();
  return x.new_ones(size, options);
}
Value new_full(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("size");
  const Scalar value = a.scalar("fill_value");
  const TensorOptions options = new_options(a);
  a.done();
  return x.new_full(size, value, options);
}

}  // namespace

void add_scattering(FunctionTable& table) {
  table["scatter_reduce"] = call_scatter_reduce<false>;
  table["Tensor.scatter_reduce_"] = call_scatter_reduce<true>;
  table["index_reduce"] = call_index_reduce<false>;
  table["Tensor.index_reduce_"] = call_index_reduce<true>;
  table["scatter"] = scatter_any<false>;
  table["Tensor.scatter_"] = scatter_any<true>;
  table["take"] = call_take;
  table["put"] = call_put<false>;
  table["Tensor.put_"] = call_put<true>;
  table["argwhere"] = call_argwhere;
  table["unravel_index"] = call_unravel_index;
  table["Tensor.new_zeros"] = new_zeros;
  table["Tensor.new_ones"] = new_ones;
  table["Tensor.new_full"] = new_full;
}

}  // namespace taper::oracle
