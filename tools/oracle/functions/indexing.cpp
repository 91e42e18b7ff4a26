// Indexing and masks.
#include "cases/outcome.h"
#include "functions/table.h"
#include "ops/indexing/subscript.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Index entry(const Value& v) {
  if (v.is_none()) return newaxis;
  if (v.is_int()) return v.as_int();
  if (v.is_tensor()) return v.as_tensor();
  if (v.contains("ellipsis")) return ellipsis;
  const Value* slice = v.find("slice");
  if (!slice) throw MalformedCase("unknown entry of an index");
  const auto part = [&](std::int64_t i) {
    const Value p = (*slice)[i];
    return p.is_none() ? std::nullopt : std::optional(p.as_int());
  };
  return Slice{part(0), part(1), part(2).value_or(1)};
}

std::vector<Index> entries(Arguments& a, const std::string& name) {
  std::vector<Index> list;
  for (const Value& v : a.value(name).as_sequence()) list.push_back(entry(v));
  return list;
}

Value get_item(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto index = entries(a, "index");
  a.done();
  return x.index(index);
}

Value set_item(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto places = indexing::parse_index(x, entries(a, "index"));
  const Value value = a.value("value");
  a.done();
  if (value.is_tensor())
    indexing::write(places, value.as_tensor());
  else
    indexing::write(places, scalar_of(value));
  return x;
}

template <bool inplace> Value put(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto index = entries(a, "indices");
  const Tensor values = a.tensor("values");
  const bool accumulate = a.boolean("accumulate", false);
  a.done();
  if (inplace) return x.index_put_(index, values, accumulate);
  return x.index_put(index, values, accumulate);
}

Value masked_select_of(Arguments& a) {
  const Tensor x = a.tensor("input"), mask = a.tensor("mask");
  a.done();
  return x.masked_select(mask);
}

Value nonzero_of(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool as_tuple = a.boolean("as_tuple", false);
  a.done();
  if (!as_tuple) return x.nonzero();
  const std::vector<Tensor> parts = x.nonzero_as_tuple();
  return Value::tuple(Values(parts.begin(), parts.end()));
}

Value take_along_dim_of(Arguments& a) {
  const Tensor x = a.tensor("input"), indices = a.tensor("indices");
  const auto dim = a.optional_integer("dim");
  a.done();
  return x.take_along_dim(indices, dim);
}

}  // namespace

void add_indexing(FunctionTable& table) {
  table["Tensor.__getitem__"] = get_item;
  table["Tensor.__setitem__"] = set_item;
  table["index_put"] = put<false>;
  table["index_put_"] = put<true>;
  table["masked_select"] = masked_select_of;
  table["nonzero"] = nonzero_of;
  table["take_along_dim"] = take_along_dim_of;
}

}  // namespace taper::oracle
