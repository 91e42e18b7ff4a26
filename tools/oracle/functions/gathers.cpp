// Gather and concatenation along a dimension, whose argument is between the tensors.
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

template <Tensor (*function)(std::span<const Tensor>, IntArg)> Value join(Arguments& a) {
  const auto tensors = a.tensors("tensors");
  const std::int64_t dim = a.integer("dim", 0);
  a.done();
  return function(tensors, dim);
}

template <Tensor (*function)(const Tensor&, IntArg, const Tensor&)> Value pick(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Tensor index = a.tensor("index");
  a.done();
  return function(x, dim, index);
}

Value scatter_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Tensor index = a.tensor("index");
  const Value source = a.value(a.peek("value") ? "value" : "src");
  a.done();
  return source.is_tensor() ? x.scatter(dim, index, source.as_tensor())
                            : x.scatter(dim, index, scalar_of(source));
}

Value scatter_add_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Tensor index = a.tensor("index"), source = a.tensor("src");
  a.done();
  return scatter_add(x, dim, index, source);
}

Value index_add_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Tensor index = a.tensor("index"), source = a.tensor("source");
  const Scalar alpha = a.scalar("alpha", 1);
  a.done();
  return x.index_add(dim, index, source, alpha);
}

}  // namespace

void add_gathers(FunctionTable& table) {
  table["torch.cat"] = join<cat>;
  table["torch.stack"] = join<stack>;
  table["torch.index_select"] = pick<index_select>;
  table["torch.gather"] = pick<gather>;
  table["torch.scatter"] = scatter_;
  table["torch.scatter_add"] = scatter_add_;
  table["torch.index_add"] = index_add_;
}

}  // namespace taper::oracle
