// Views, copies and conversions.
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

Value reshape_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape shape = a.shape("shape");
  a.done();
  return reshape(x, shape);
}

Value flatten_(Arguments& a) {
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

Value permute_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape dims = a.shape("dims");
  a.done();
  return permute(x, dims);
}

Value transpose_(Arguments& a) {
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

Value unsqueeze_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  a.done();
  return unsqueeze(x, dim);
}

Value squeeze_(Arguments& a) {
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
  const std::int64_t dim = a.integer("dim"), start = a.integer("start");
  const std::int64_t length = a.integer("length");
  a.done();
  return x.narrow(dim, start, length);
}

Value as_strided(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("size"), stride = a.shape("stride");
  const auto offset = a.optional_integer("storage_offset");
  a.done();
  return x.as_strided(size, stride, offset);
}

Value split_(Arguments& a) {
  const Tensor x = a.tensor("tensor");
  const Value size = a.value("split_size_or_sections");
  const std::int64_t dim = a.integer("dim", 0);
  a.done();
  return tuple_of(size.is_int() ? x.split(size.as_int(), dim) : x.split(size.as_size(), dim));
}

Value chunk_(Arguments& a) {
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

Value to(Arguments& a) {
  const Tensor x = a.tensor("input");
  const DType dtype = a.value("dtype").as_dtype();
  a.done();
  return x.to(dtype);
}

}  // namespace

void add_views(FunctionTable& table) {
  for (const std::string space : {"torch.", "Tensor."}) {
    table[space + "reshape"] = reshape_;
    table[space + "flatten"] = flatten_;
    table[space + "unflatten"] = unflatten;
    table[space + "permute"] = permute_;
    table[space + "transpose"] = transpose_;
    table[space + "swapaxes"] = transpose_;
    table[space + "t"] = t;
    table[space + "unsqueeze"] = unsqueeze_;
    table[space + "squeeze"] = squeeze_;
    table[space + "select"] = select;
    table[space + "narrow"] = narrow;
    table[space + "as_strided"] = as_strided;
    table[space + "split"] = split_;
    table[space + "chunk"] = chunk_;
    table[space + "unbind"] = unbind;
  }
  table["Tensor.view"] = view;
  table["Tensor.expand"] = table["torch.broadcast_to"] = expand;
  table["Tensor.contiguous"] = contiguous;
  table["Tensor.to"] = to;
}

}  // namespace taper::oracle
