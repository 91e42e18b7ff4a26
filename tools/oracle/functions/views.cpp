// Views, copies and conversions.
#include "cases/outcome.h"
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value tuple_of(const std::vector<Tensor>& parts) {
  return Value::tuple(Values(parts.begin(), parts.end()));
}

Value view(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape shape = a.shape("shape");
  a.done();
  return x.view(shape);
}

Value call_reshape(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape shape = a.shape("shape");
  a.done();
  return reshape(x, shape);
}

Value call_flatten(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t from = a.integer("start_dim", 0), to = a.integer("end_dim", -1);
  a.done();
  return flatten(x, from, to);
}

Value unflatten(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Shape sizes = a.shape("sizes");
  a.done();
  return x.unflatten(dim, sizes);
}

Value call_permute(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape dims = a.shape("dims");
  a.done();
  return permute(x, dims);
}

Value call_transpose(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t first = a.integer("dim0"), second = a.integer("dim1");
  a.done();
  return transpose(x, first, second);
}

Value t(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.t();
}

Value call_unsqueeze(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  a.done();
  return unsqueeze(x, dim);
}

Value call_squeeze(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dim = a.optional_shape("dim");
  a.done();
  return dim ? squeeze(x, *dim) : squeeze(x);
}

Value expand(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("size");
  a.done();
  return x.expand(size);
}

Value select(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim"), at = a.integer("index");
  a.done();
  return x.select(dim, at);
}

Value narrow(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  const Value start = a.value("start");
  const std::int64_t length = a.integer("length");
  a.done();
  return start.is_tensor() ? x.narrow(dim, start.as_tensor(), length)
                           : x.narrow(dim, start.as_int(), length);
}

Value as_strided(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("size"), stride = a.shape("stride");
  const auto offset = a.optional_integer("storage_offset");
  a.done();
  return x.as_strided(size, stride, offset);
}

Value call_split(Arguments& a) {
  const Tensor x = a.tensor("tensor");
  const Value size = a.value("split_size_or_sections");
  const std::int64_t dim = a.integer("dim", 0);
  a.done();
  return tuple_of(size.is_int() ? x.split(size.as_int(), dim) : x.split(size.as_size(), dim));
}

Value call_chunk(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t chunks = a.integer("chunks"), dim = a.integer("dim", 0);
  a.done();
  return tuple_of(chunk(x, chunks, dim));
}

Value unbind(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim", 0);
  a.done();
  return tuple_of(x.unbind(dim));
}

Value contiguous(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.contiguous();
}

Value expand_as(Arguments& a) {
  const Tensor x = a.tensor("input"), other = a.tensor("other");
  a.done();
  return x.expand_as(other);
}

Value mT(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.mT();
}

Value to(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::optional<Tensor> other = a.optional_tensor("other");
  const std::optional<DType> dtype = a.optional_dtype("dtype");
  const TensorToOptions options{.non_blocking = a.boolean("non_blocking", false),
                                .copy = a.boolean("copy", false)};
  a.done();
  return other ? x.to(*other, options) : x.to(*dtype, options);
}

template <DType dtype> Value converted(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.to(dtype);
}

}  // namespace

void add_views(FunctionTable& table) {
  table["reshape"] = call_reshape;
  table["flatten"] = call_flatten;
  table["unflatten"] = unflatten;
  table["permute"] = call_permute;
  table["transpose"] = call_transpose;
  table["swapaxes"] = table["swapdims"] = call_transpose;
  table["t"] = t;
  table["unsqueeze"] = call_unsqueeze;
  table["squeeze"] = call_squeeze;
  table["select"] = select;
  table["narrow"] = narrow;
  table["as_strided"] = as_strided;
  table["split"] = call_split;
  table["chunk"] = table["unsafe_chunk"] = call_chunk;
  table["unbind"] = unbind;
  table["Tensor.mT"] = mT;
  table["Tensor.view"] = view;
  table["Tensor.expand"] = table["broadcast_to"] = expand;
  table["Tensor.expand_as"] = expand_as;
  table["Tensor.contiguous"] = contiguous;
  table["Tensor.to"] = to;
  table["Tensor.bfloat16"] = converted<bfloat16>;
  table["Tensor.bool"] = converted<bool_>;
  table["Tensor.byte"] = converted<uint8>;
  table["Tensor.char"] = converted<int8>;
  table["Tensor.double"] = converted<float64>;
  table["Tensor.float"] = converted<float32>;
  table["Tensor.half"] = converted<float16>;
  table["Tensor.int"] = converted<int32>;
  table["Tensor.long"] = converted<int64>;
  table["Tensor.short"] = converted<int16>;
}

}  // namespace taper::oracle
