// Rearranging, joining and splitting.
#include "cases/outcome.h"
#include "functions/table.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

Value tuple_of_tensors(const std::vector<Tensor>& parts) {
  return Value::tuple(Values(parts.begin(), parts.end()));
}

template <Tensor (*f)(const Tensor&)> Value of_tensor(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return f(x);
}
/// As `of_tensor`; a list of tensors returns a tuple.
template <Tensor (*f)(const Tensor&)> Value of_each(Arguments& a) {
  const Value x = a.value("tensors");
  a.done();
  if (x.is_tensor()) return f(x.as_tensor());
  Values parts;
  for (const Value& v : x.as_sequence()) parts.emplace_back(f(v.as_tensor()));
  return Value::tuple(std::move(parts));
}
Tensor transposed(const Tensor& x) { return x.T(); }
Tensor hermitian(const Tensor& x) { return x.H(); }

Value t_in_place(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.t_();
}
Value squeeze_in_place(Arguments& a) {
  const Tensor x = a.tensor("input");
  const auto dim = a.optional_shape("dim");
  a.done();
  return dim ? x.squeeze_(*dim) : x.squeeze_();
}
Value unsqueeze_in_place(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim");
  a.done();
  return x.unsqueeze_(dim);
}
Value transpose_in_place(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t first = a.integer("dim0"), second = a.integer("dim1");
  a.done();
  return x.transpose_(first, second);
}
Value as_strided_in_place(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape size = a.shape("size"), stride = a.shape("stride");
  const auto offset = a.optional_integer("storage_offset");
  a.done();
  return x.as_strided_(size, stride, offset);
}

Value view_as(Arguments& a) {
  const Tensor x = a.tensor("input"), other = a.tensor("other");
  a.done();
  return x.view_as(other);
}
Value reshape_as(Arguments& a) {
  const Tensor x = a.tensor("input"), other = a.tensor("other");
  a.done();
  return x.reshape_as(other);
}

Value call_movedim(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape source = a.shape("source"), destination = a.shape("destination");
  a.done();
  return movedim(x, source, destination);
}
Value call_narrow_copy(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t dim = a.integer("dim"), start = a.integer("start"), n = a.integer("length");
  a.done();
  return narrow_copy(x, dim, start, n);
}
Value repeat(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape repeats = a.shape("repeats");
  a.done();
  return x.repeat(repeats);
}
Value call_tile(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape dims = a.shape("dims");
  a.done();
  return tile(x, dims);
}
Value call_roll(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape shifts = a.shape("shifts"), dims = a.shape("dims", Shape());
  a.done();
  return roll(x, shifts, dims);
}
Value call_rot90(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t k = a.integer("k", 1);
  const Shape dims = a.shape("dims", Shape{0, 1});
  a.done();
  return rot90(x, k, dims);
}
Value call_repeat_interleave(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value* given = a.next("repeats");
  const Value repeats = given ? *given : Value();
  const auto dim = a.optional_integer("dim"), size = a.optional_integer("output_size");
  a.done();
  if (repeats.is_none()) return repeat_interleave(x);
  return repeats.is_tensor() ? repeat_interleave(x, repeats.as_tensor(), dim, size)
                             : repeat_interleave(x, repeats.as_int(), dim, size);
}

Value call_diag(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t diagonal = a.integer("diagonal", 0);
  a.done();
  return diag(x, diagonal);
}
Value call_diag_embed(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t offset = a.integer("offset", 0), dim1 = a.integer("dim1", -2),
                     dim2 = a.integer("dim2", -1);
  a.done();
  return diag_embed(x, offset, dim1, dim2);
}
Value call_diagflat(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t offset = a.integer("offset", 0);
  a.done();
  return diagflat(x, offset);
}
Value call_diagonal_scatter(Arguments& a) {
  const Tensor x = a.tensor("input"), src = a.tensor("src");
  const std::int64_t offset = a.integer("offset", 0), dim1 = a.integer("dim1", 0),
                     dim2 = a.integer("dim2", 1);
  a.done();
  return diagonal_scatter(x, src, offset, dim1, dim2);
}
Value call_select_scatter(Arguments& a) {
  const Tensor x = a.tensor("input"), src = a.tensor("src");
  const std::int64_t dim = a.integer("dim"), index = a.integer("index");
  a.done();
  return select_scatter(x, src, dim, index);
}
Value call_slice_scatter(Arguments& a) {
  const Tensor x = a.tensor("input"), src = a.tensor("src");
  const std::int64_t dim = a.integer("dim", 0);
  const auto start = a.optional_integer("start"), end = a.optional_integer("end");
  const std::int64_t step = a.integer("step", 1);
  a.done();
  return slice_scatter(x, src, dim, start, end, step);
}
Value call_as_strided_scatter(Arguments& a) {
  const Tensor x = a.tensor("input"), src = a.tensor("src");
  const Shape size = a.shape("size"), stride = a.shape("stride");
  const auto offset = a.optional_integer("storage_offset");
  a.done();
  return as_strided_scatter(x, src, size, stride, offset);
}
template <Tensor (*f)(IntArg, IntArg, IntArg, const TensorOptions&)>
Value call_triangle_indices(Arguments& a) {
  const std::int64_t row = a.integer("row"), col = a.integer("col"),
                     offset = a.integer("offset", 0);
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  return f(row, col, offset, {.dtype = dtype});
}

/// Returns the remaining arguments: tensors, or one list of them.
std::vector<Tensor> all_tensors(Arguments& a) {
  std::vector<Tensor> list;
  while (const Value* next = a.next("tensors")) {
    const Value v = *next;
    if (v.is_tensor())
      list.push_back(v.as_tensor());
    else
      for (const Value& item : v.as_sequence()) list.push_back(item.as_tensor());
  }
  return list;
}

using Join = Tensor (*)(std::span<const Tensor>);
template <Join f> Value joined(Arguments& a) {
  const std::vector<Tensor> list = all_tensors(a);
  a.done();
  return f(list);
}
Value call_concat(Arguments& a) {
  const std::vector<Tensor> list = a.tensors("tensors");
  const std::int64_t dim = a.integer("dim", 0);
  a.done();
  return concat(list, dim);
}
Value call_meshgrid(Arguments& a) {
  std::vector<Tensor> list;
  while (const Value* v = a.peek("tensors")) {
    if (v->is_string()) break;
    const Value item = a.value("tensors");
    if (item.is_tensor())
      list.push_back(item.as_tensor());
    else
      for (const Value& t : item.as_sequence()) list.push_back(t.as_tensor());
  }
  const std::string indexing = a.text("indexing", "ij");
  a.done();
  return tuple_of_tensors(meshgrid(list, indexing));
}
Value call_broadcast_tensors(Arguments& a) {
  const std::vector<Tensor> list = all_tensors(a);
  a.done();
  return tuple_of_tensors(broadcast_tensors(list));
}
Value call_broadcast_shapes(Arguments& a) {
  std::vector<Shape> list;
  while (const Value* shape = a.next("shapes")) list.push_back(shape_of(*shape));
  a.done();
  Values sizes;
  for (const std::int64_t n : broadcast_shapes(list)) sizes.emplace_back(n);
  return Value::list(std::move(sizes));
}
Value call_combinations(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t r = a.integer("r", 2);
  const bool with_replacement = a.boolean("with_replacement", false);
  a.done();
  return combinations(x, r, with_replacement);
}

Value call_tensor_split(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value at = a.value("indices_or_sections");
  const std::int64_t dim = a.integer("dim", 0);
  a.done();
  if (at.is_tensor()) return tuple_of_tensors(tensor_split(x, at.as_tensor(), dim));
  return tuple_of_tensors(at.is_int() ? tensor_split(x, at.as_int(), dim)
                                      : tensor_split(x, shape_of(at), dim));
}
using Parts = std::vector<Tensor>;
template <Parts (*even)(const Tensor&, std::int64_t),
          Parts (*at_indices)(const Tensor&, const Shape&)>
Value axis_split(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value at = a.value("indices_or_sections");
  a.done();
  return tuple_of_tensors(at.is_int() ? even(x, at.as_int()) : at_indices(x, shape_of(at)));
}
Value call_unsafe_split(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t size = a.integer("split_size"), dim = a.integer("dim", 0);
  a.done();
  return tuple_of_tensors(unsafe_split(x, size, dim));
}
Value call_split_with_sizes(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape sizes = a.shape("split_sizes");
  const std::int64_t dim = a.integer("dim", 0);
  a.done();
  return tuple_of_tensors(split_with_sizes(x, sizes, dim));
}

}  // namespace

void add_rearranging(FunctionTable& table) {
  table["Tensor.T"] = of_tensor<transposed>;
  table["Tensor.H"] = of_tensor<hermitian>;
  table["Tensor.mH"] = table["adjoint"] = of_tensor<adjoint>;
  table["ravel"] = of_tensor<ravel>;
  table["fliplr"] = of_tensor<fliplr>;
  table["flipud"] = of_tensor<flipud>;
  table["atleast_1d"] = of_each<atleast_1d>;
  table["atleast_2d"] = of_each<atleast_2d>;
  table["atleast_3d"] = of_each<atleast_3d>;
  table["Tensor.t_"] = t_in_place;
  table["Tensor.squeeze_"] = squeeze_in_place;
  table["Tensor.unsqueeze_"] = unsqueeze_in_place;
  table["Tensor.transpose_"] = transpose_in_place;
  table["Tensor.as_strided_"] = as_strided_in_place;
  table["Tensor.view_as"] = view_as;
  table["Tensor.reshape_as"] = reshape_as;
  table["movedim"] = table["moveaxis"] = call_movedim;
  table["narrow_copy"] = call_narrow_copy;
  table["Tensor.repeat"] = repeat;
  table["tile"] = call_tile;
  table["roll"] = call_roll;
  table["rot90"] = call_rot90;
  table["repeat_interleave"] = call_repeat_interleave;
  table["diag"] = call_diag;
  table["diag_embed"] = call_diag_embed;
  table["diagflat"] = call_diagflat;
  table["diagonal_scatter"] = call_diagonal_scatter;
  table["select_scatter"] = call_select_scatter;
  table["slice_scatter"] = call_slice_scatter;
  table["as_strided_scatter"] = call_as_strided_scatter;
  table["tril_indices"] = call_triangle_indices<tril_indices>;
  table["triu_indices"] = call_triangle_indices<triu_indices>;
  table["hstack"] = joined<hstack>;
  table["vstack"] = table["row_stack"] = joined<vstack>;
  table["dstack"] = joined<dstack>;
  table["column_stack"] = joined<column_stack>;
  table["block_diag"] = joined<block_diag>;
  table["cartesian_prod"] = joined<cartesian_prod>;
  table["concat"] = table["concatenate"] = call_concat;
  table["meshgrid"] = call_meshgrid;
  table["broadcast_tensors"] = call_broadcast_tensors;
  table["broadcast_shapes"] = call_broadcast_shapes;
  table["combinations"] = call_combinations;
  table["tensor_split"] = call_tensor_split;
  table["hsplit"] = axis_split<hsplit, hsplit>;
  table["vsplit"] = axis_split<vsplit, vsplit>;
  table["dsplit"] = axis_split<dsplit, dsplit>;
  table["unsafe_split"] = call_unsafe_split;
  table["split_with_sizes"] = call_split_with_sizes;
}

}  // namespace taper::oracle
