// Sorting, searching and counting.
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value call_argsort(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim", -1);
  const bool descending = a.boolean("descending", false), stable = a.boolean("stable", false);
  a.done();
  return argsort(x, dim, descending, stable);
}

Value call_msort(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return msort(x);
}

/// Returns the requested tensors: a tensor, or a tuple of several.
Value requested(const UniqueResult& result) {
  Values parts{result.output};
  for (const Tensor& t : {result.inverse_indices, result.counts})
    if (t.defined()) parts.emplace_back(t);
  return parts.size() == 1 ? parts[0] : Value::tuple(std::move(parts));
}

Value call_unique(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool sorted = a.boolean("sorted", true), inverse = a.boolean("return_inverse", false),
             counts = a.boolean("return_counts", false);
  const auto dim = a.optional_integer("dim");
  a.done();
  return requested(unique(x, sorted, inverse, counts, dim));
}

Value call_unique_consecutive(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool inverse = a.boolean("return_inverse", false),
             counts = a.boolean("return_counts", false);
  const auto dim = a.optional_integer("dim");
  a.done();
  return requested(unique_consecutive(x, inverse, counts, dim));
}

Value call_searchsorted(Arguments& a) {
  const Tensor sequence = a.tensor("sorted_sequence");
  const Value x = a.value("input");
  const bool out_int32 = a.boolean("out_int32", false), right = a.boolean("right", false);
  const Value* given = a.next("side");
  const Value side = given ? *given : Value();
  const auto sorter = a.optional_tensor("sorter");
  a.done();
  const std::string text = side.is_none() ? "" : side.as_string();
  const auto which = side.is_none() ? std::nullopt : std::optional<std::string_view>(text);
  return x.is_tensor() ? searchsorted(sequence, x.as_tensor(), out_int32, right, which, sorter)
                       : searchsorted(sequence, scalar_of(x), out_int32, right, which, sorter);
}

Value call_bucketize(Arguments& a) {
  const Value x = a.value("input");
  const Tensor boundaries = a.tensor("boundaries");
  const bool out_int32 = a.boolean("out_int32", false), right = a.boolean("right", false);
  a.done();
  return x.is_tensor() ? bucketize(x.as_tensor(), boundaries, out_int32, right)
                       : bucketize(scalar_of(x), boundaries, out_int32, right);
}

Value call_isin(Arguments& a) {
  const Value x = a.value("elements"), tests = a.value("test_elements");
  const bool unique = a.boolean("assume_unique", false), invert = a.boolean("invert", false);
  a.done();
  if (!x.is_tensor()) return isin(scalar_of(x), tests.as_tensor(), unique, invert);
  return tests.is_tensor() ? isin(x.as_tensor(), tests.as_tensor(), unique, invert)
                           : isin(x.as_tensor(), scalar_of(tests), unique, invert);
}

Value call_bincount(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto weights = a.optional_tensor("weights");
  const std::int64_t minlength = a.integer("minlength", 0);
  a.done();
  return bincount(x, weights, minlength);
}

Value call_histc(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t bins = a.integer("bins", 100);
  const Scalar min = a.scalar("min", 0), max = a.scalar("max", 0);
  a.done();
  return histc(x, bins, min, max);
}

std::optional<std::vector<double>> read_range(Arguments& a) {
  const Value* range = a.next("range");
  if (!range || range->is_none()) return {};
  std::vector<double> bounds;
  for (const Value& v : range->as_sequence()) bounds.push_back(v.as_double());
  return bounds;
}

Value call_histogram(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value bins = a.value("bins");
  std::optional<std::pair<double, double>> range;
  if (!bins.is_tensor())
    if (const auto bounds = read_range(a)) range = {bounds->at(0), bounds->at(1)};
  const auto weight = a.optional_tensor("weight");
  const bool density = a.boolean("density", false);
  a.done();
  const auto [counts, edges] = bins.is_tensor()
                                   ? histogram(x, bins.as_tensor(), weight, density)
                                   : histogram(x, bins.as_int(), range, weight, density);
  return Value::tuple({counts, edges});
}

Value call_histogramdd(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value bins = a.value("bins");
  const auto range = read_range(a);
  const auto weight = a.optional_tensor("weight");
  const bool density = a.boolean("density", false);
  a.done();
  std::vector<Tensor> lists;
  if (!bins.is_int())
    for (const Value& v : bins.as_sequence())
      if (v.is_tensor()) lists.push_back(v.as_tensor());
  const auto [counts, edges] =
      lists.empty()
          ? histogramdd(x,
                        bins.is_int()
                            ? Shape::filled(static_cast<std::size_t>(x.size(-1)), bins.as_int())
                            : shape_of(bins),
                        range.value_or(std::vector<double>()), weight, density)
          : histogramdd(x, lists, weight, density);
  return Value::tuple({counts, Value::tuple(Values(edges.begin(), edges.end()))});
}

}  // namespace

void add_sorting(FunctionTable& table) {
  table["argsort"] = call_argsort;
  table["msort"] = call_msort;
  table["unique"] = call_unique;
  table["unique_consecutive"] = call_unique_consecutive;
  table["searchsorted"] = call_searchsorted;
  table["bucketize"] = call_bucketize;
  table["isin"] = call_isin;
  table["bincount"] = call_bincount;
  table["histc"] = call_histc;
  table["histogram"] = call_histogram;
  table["histogramdd"] = call_histogramdd;
}

}  // namespace taper::oracle
