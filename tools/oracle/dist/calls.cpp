#include "dist/calls.h"

#include "cases/compare.h"
#include "cases/outcome.h"
#include "taper/core/factory.h"
#include "taper/dist/objects.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using distributed::ReduceOp;
using distributed::Work;

ReduceOp reduce_op_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ReduceOp::bxor); ++i)
    if (distributed::name_of(static_cast<ReduceOp>(i)) == name) return static_cast<ReduceOp>(i);
  throw MalformedCase("unknown reduction '" + name + "'");
}

Tensor new_tensor_like(const Tensor& x, const Shape& shape) {
  return empty(shape, {.dtype = x.dtype()});
}

std::vector<Tensor> new_tensors_like(const std::vector<Tensor>& like) {
  std::vector<Tensor> outputs;
  for (const Tensor& t : like) outputs.push_back(new_tensor_like(t, t.shape()));
  return outputs;
}

std::vector<Tensor> repeated_like(const Tensor& x, int count) {
  return new_tensors_like(std::vector<Tensor>(static_cast<std::size_t>(count), x));
}

Shape with_rows(const Tensor& x, std::int64_t rows) {
  Shape shape = x.shape();
  shape[0] = rows;
  return shape;
}

std::vector<std::string> contents_of(const Value& input) {
  std::vector<std::string> contents;
  if (!input.is_tensor() && !input.is_list()) return contents;
  for (const Value& item : input.is_tensor() ? Values{input} : input.as_list())
    if (item.is_tensor()) contents.push_back(bytes_of(item.as_tensor()));
  return contents;
}

}  // namespace

CallArguments::CallArguments(const Json& args) {
  Fields fields(args);
  if (fields.find("op")) op = reduce_op_named(fields.text("op"));
  if (const Json* rank = fields.find("src")) src = rank->get<int>();
  if (const Json* rank = fields.find("dst")) dst = rank->get<int>();
  if (const Json* sizes = fields.find("output_split_sizes"))
    output_split_sizes = sizes->get<std::vector<std::int64_t>>();
  if (const Json* sizes = fields.find("input_split_sizes"))
    input_split_sizes = sizes->get<std::vector<std::int64_t>>();
  fields.done();
}

namespace {

/// Calls in place, of one tensor.
Value call_in_place(const NamedCall& c, const distributed::ReduceOptions& reduces,
                    const distributed::CollectiveOptions& copies, Work& work) {
  const Tensor& x = c.input.as_tensor();
  if (c.name == "all_reduce") work = distributed::all_reduce(x, reduces);
  if (c.name == "broadcast") work = distributed::broadcast(x, c.args.src, copies);
  if (c.name == "reduce") {
    work = distributed::reduce(x, c.args.dst, reduces);
    if (distributed::get_rank() != c.args.dst) return {};
  }
  return x;
}

/// Calls of one tensor that return another, or a list.
Value call_of_tensor(const NamedCall& c, const distributed::ReduceOptions& reduces,
                     const distributed::CollectiveOptions& copies, Work& work) {
  const Tensor& x = c.input.as_tensor();
  const int size = distributed::get_world_size(c.group);
  if (c.name == "all_gather") {
    std::vector<Tensor> out = repeated_like(x, size);
    if (!c.shapes.is_none())
      for (std::size_t r = 0; r < out.size(); ++r)
        out[r] = new_tensor_like(x, c.shapes.as_list()[r].as_size());
    work = distributed::all_gather(out, x, copies);
    return list_of(out);
  }
  if (c.name == "gather") {
    const bool is_root = distributed::get_rank() == c.args.dst;
    const std::vector<Tensor> out = repeated_like(x, is_root ? size : 0);
    work = distributed::gather(x, out, c.args.dst, copies);
    return is_root ? list_of(out) : Value();
  }
  const std::int64_t rows = x.dim() == 0 ? 0 : x.size(0);
  Tensor out;
  if (c.name == "all_gather_into_tensor") {
    out = new_tensor_like(x, with_rows(x, rows * size));
    work = distributed::all_gather_into_tensor(out, x, copies);
  } else if (c.name == "reduce_scatter_tensor") {
    out = new_tensor_like(x, with_rows(x, rows / size));
    work = distributed::reduce_scatter_tensor(out, x, reduces);
  } else {
    std::int64_t received = rows;
    if (!c.args.output_split_sizes.empty()) {
      received = 0;
      for (const std::int64_t n : c.args.output_split_sizes) received += n;
    }
    out = new_tensor_like(x, with_rows(x, received));
    work = distributed::all_to_all_single(out, x,
                                          {.output_split_sizes = c.args.output_split_sizes,
                                           .input_split_sizes = c.args.input_split_sizes,
                                           .group = copies.group,
                                           .async_op = copies.async_op});
  }
  return out;
}

/// Calls of a list of tensors.
Value call_of_list(const NamedCall& c, const distributed::ReduceOptions& reduces,
                   const distributed::CollectiveOptions& copies, Work& work) {
  if (c.name == "scatter") {
    const Tensor out =
        empty(c.shapes.as_list()[0].as_size(), {.dtype = c.shapes.as_list()[1].as_dtype()});
    work = distributed::scatter(
        out, c.input.is_none() ? std::vector<Tensor>() : tensors_of(c.input), c.args.src, copies);
    return out;
  }
  const std::vector<Tensor> xs = tensors_of(c.input);
  if (c.name == "reduce_scatter") {
    const Tensor& mine = xs.at(static_cast<std::size_t>(distributed::get_rank(c.group)));
    const Tensor out = new_tensor_like(mine, mine.shape());
    work = distributed::reduce_scatter(out, xs, reduces);
    return out;
  }
  const std::vector<Tensor> out = new_tensors_like(xs);
  work = distributed::all_to_all(out, xs, copies);
  return list_of(out);
}

Value call_of_objects(const NamedCall& c) {
  if (c.name == "all_gather_object")
    return Value::list(distributed::all_gather_object(c.input, c.group));
  if (c.name == "gather_object") {
    Values objects = distributed::gather_object(c.input, c.args.dst, c.group);
    return distributed::get_rank() == c.args.dst ? Value::list(std::move(objects)) : Value();
  }
  if (c.name == "scatter_object_list")
    return distributed::scatter_object_list(c.input.is_none() ? Values() : c.input.as_list(),
                                            c.args.src, c.group);
  Values objects = c.input.as_list();
  distributed::broadcast_object_list(objects, c.args.src, c.group);
  return Value::list(std::move(objects));
}

using CallOf = Value (*)(const NamedCall&, const distributed::ReduceOptions&,
                         const distributed::CollectiveOptions&, Work&);

}  // namespace

Value NamedCall::run() {
  if (name.find("_object") != name.npos) return call_of_objects(*this);
  static const std::map<std::string, CallOf> calls = {{"all_reduce", call_in_place},
                                                      {"broadcast", call_in_place},
                                                      {"reduce", call_in_place},
                                                      {"all_gather", call_of_tensor},
                                                      {"all_gather_into_tensor", call_of_tensor},
                                                      {"gather", call_of_tensor},
                                                      {"reduce_scatter_tensor", call_of_tensor},
                                                      {"all_to_all_single", call_of_tensor},
                                                      {"scatter", call_of_list},
                                                      {"reduce_scatter", call_of_list},
                                                      {"all_to_all", call_of_list}};
  const auto found = calls.find(name);
  if (found == calls.end()) throw MalformedCase("unknown call '" + name + "'");
  const std::vector<std::string> before = contents_of(input);
  Work handle;
  Value out = found->second(*this, {.op = args.op, .group = group, .async_op = work != nullptr},
                            {.group = group, .async_op = work != nullptr}, handle);
  if (work) *work = handle;
  if (found->second != call_in_place && !work && contents_of(input) != before)
    throw RuntimeError(name + ": an input was changed");
  return out;
}

}  // namespace taper::oracle
