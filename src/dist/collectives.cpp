#include "taper/dist/collectives.h"

#include <numeric>

#include "core/check.h"
#include "dist/rank_context.h"
#include "dist/tensor_buffers.h"

namespace taper::distributed {
namespace {

using Kind = RawCall::Kind;

/// Starts a reduction of the buffer of `out`, in place.
Work reduce_in_place(Kind kind, ProcessGroup& group, const OutputBuffer& out, ReduceOp op,
                     int root) {
  RawCall call;
  call.kind = kind;
  call.receive = out.elements(), call.count = out.tensor().numel();
  call.dtype = out.tensor().dtype(), call.op = op, call.root = root;
  call.detail = out.tensor().shape().str();
  call.tensors = {out.tensor()};
  return group.start(std::move(call));
}

/// Starts a collective from `in` to `out` with counts per rank.
struct Exchange {
  Kind kind;
  const Tensor* in = nullptr;  ///< contiguous; null if the rank does not send
  const OutputBuffer* out = nullptr;
  std::vector<std::int64_t> send_counts{}, receive_counts{};
  ReduceOp op = ReduceOp::sum;
  int root = -1;
  std::string detail{};

  Work start(ProcessGroup& group) {
    RawCall call;
    call.kind = kind;
    if (in) call.send = readable_elements(*in), call.tensors.push_back(*in);
    if (out) call.receive = out->elements(), call.tensors.push_back(out->tensor());
    call.dtype = in ? in->dtype() : out->tensor().dtype();
    call.send_counts = std::move(send_counts), call.receive_counts = std::move(receive_counts);
    call.op = op, call.root = root, call.detail = std::move(detail);
    return group.start(std::move(call));
  }
};

std::vector<std::int64_t> equal_counts(const ProcessGroup& group, std::int64_t count) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(group.size()), count);
}

/// Returns counts that contain only that of the calling rank.
std::vector<std::int64_t> own_count(const ProcessGroup& group, std::int64_t count) {
  std::vector<std::int64_t> counts = equal_counts(group, 0);
  counts[static_cast<std::size_t>(group.rank())] = count;
  return counts;
}

void check_dtypes(std::string_view call, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype())
    fail<DTypeError>("{}: input and output must have the same dtype, got {} and {}", call,
                     b.dtype(), a.dtype());
}

/// Throws unless tensor `rank` of the list of all ranks fits the tensor of the calling rank.
void check_own_part(std::string_view call, std::string_view list_name, std::string_view name,
                    const std::vector<Tensor>& list, const Tensor& own, const ProcessGroup& group) {
  const Tensor& part = list[static_cast<std::size_t>(group.rank())];
  if (part.numel() != own.numel())
    fail<ShapeError>("{}: tensor {} of {} must have the shape of {}: got {}, expected {}", call,
                     group.rank(), list_name, name, part.shape(), own.shape());
}

}  // namespace

Work all_reduce(const Tensor& tensor, const ReduceOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::all_reduce)) return {};
  const OutputBuffer out(tensor, true);
  const Work work = reduce_in_place(Kind::all_reduce, *group, out, options.op, -1);
  return finish_call(out.finish(work), options.async_op);
}

Work reduce(const Tensor& tensor, int dst, const ReduceOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::reduce)) return {};
  const int root = checked_group_rank("reduce", "dst", *group, dst);
  const OutputBuffer out(tensor, true);
  const Work work = reduce_in_place(Kind::reduce, *group, out, options.op, root);
  return finish_call(out.finish(work), options.async_op);
}

Work broadcast(const Tensor& tensor, int src, const CollectiveOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::broadcast)) return {};
  const int root = checked_group_rank("broadcast", "src", *group, src);
  const OutputBuffer out(tensor, group->rank() == root);
  const Work work = reduce_in_place(Kind::broadcast, *group, out, ReduceOp::sum, root);
  return finish_call(out.finish(work), options.async_op);
}

Work all_gather(const std::vector<Tensor>& tensor_list, const Tensor& tensor,
                const CollectiveOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::all_gather)) return {};
  check_list("all_gather", "tensor_list", tensor_list, group->size(), tensor);
  check_own_part("all_gather", "tensor_list", "tensor", tensor_list, tensor, *group);
  const Tensor in = contiguous_input(tensor);
  const OutputBuffer out("all_gather", tensor_list);
  const Work work = Exchange{.kind = Kind::all_gather,
                             .in = &in,
                             .out = &out,
                             .receive_counts = numels(tensor_list),
                             .detail = shapes_text(tensor_list)}
                        .start(*group);
  return finish_call(out.finish(work), options.async_op);
}

Work all_gather_into_tensor(const Tensor& output_tensor, const Tensor& input_tensor,
                            const CollectiveOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::all_gather)) return {};
  check_dtypes("all_gather_into_tensor", output_tensor, input_tensor);
  Shape stacked = input_tensor.shape(), joined = input_tensor.shape();
  stacked.insert(0, group->size());
  if (joined.empty())
    joined = stacked;
  else
    joined[0] *= group->size();
  if (output_tensor.shape() != joined && output_tensor.shape() != stacked)
    fail<ShapeError>("all_gather_into_tensor: expected an output of shape {} or {}, got {}", joined,
                     stacked, output_tensor.shape());
  const Tensor in = contiguous_input(input_tensor);
  const OutputBuffer out(output_tensor, false);
  const Work work = Exchange{.kind = Kind::all_gather,
                             .in = &in,
                             .out = &out,
                             .receive_counts = equal_counts(*group, in.numel()),
                             .detail = in.shape().str()}
                        .start(*group);
  return finish_call(out.finish(work), options.async_op);
}

Work gather(const Tensor& tensor, const std::vector<Tensor>& gather_list, int dst,
            const CollectiveOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::gather)) return {};
  const int root = checked_group_rank("gather", "dst", *group, dst);
  const Tensor in = contiguous_input(tensor);
  Exchange exchange{.kind = Kind::gather, .in = &in, .root = root, .detail = in.shape().str()};
  if (group->rank() != root) {
    if (!gather_list.empty())
      fail<ValueError>("gather: gather_list must be empty on ranks other than dst");
    exchange.receive_counts = own_count(*group, in.numel());
    return finish_call(exchange.start(*group), options.async_op);
  }
  check_list("gather", "gather_list", gather_list, group->size(), tensor);
  check_own_part("gather", "gather_list", "tensor", gather_list, tensor, *group);
  const OutputBuffer out("gather", gather_list);
  exchange.out = &out, exchange.receive_counts = numels(gather_list);
  return finish_call(out.finish(exchange.start(*group)), options.async_op);
}

Work scatter(const Tensor& tensor, const std::vector<Tensor>& scatter_list, int src,
             const CollectiveOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::scatter)) return {};
  const int root = checked_group_rank("scatter", "src", *group, src);
  const OutputBuffer out(tensor, false);
  Exchange exchange{
      .kind = Kind::scatter, .out = &out, .root = root, .detail = tensor.shape().str()};
  if (group->rank() != root) {
    if (!scatter_list.empty())
      fail<ValueError>("scatter: scatter_list must be empty on ranks other than src");
    exchange.send_counts = own_count(*group, tensor.numel());
    return finish_call(out.finish(exchange.start(*group)), options.async_op);
  }
  check_list("scatter", "scatter_list", scatter_list, group->size(), tensor);
  check_own_part("scatter", "scatter_list", "tensor", scatter_list, tensor, *group);
  const Tensor in = concatenate("scatter", scatter_list);
  exchange.in = &in, exchange.send_counts = numels(scatter_list);
  return finish_call(out.finish(exchange.start(*group)), options.async_op);
}

Work reduce_scatter(const Tensor& output, const std::vector<Tensor>& input_list,
                    const ReduceOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::reduce_scatter)) return {};
  check_list("reduce_scatter", "input_list", input_list, group->size(), output);
  check_own_part("reduce_scatter", "input_list", "output", input_list, output, *group);
  const Tensor in = concatenate("reduce_scatter", input_list);
  const OutputBuffer out(output, false);
  const Work work = Exchange{.kind = Kind::reduce_scatter,
                             .in = &in,
                             .out = &out,
                             .send_counts = numels(input_list),
                             .op = options.op,
                             .detail = shapes_text(input_list)}
                        .start(*group);
  return finish_call(out.finish(work), options.async_op);
}

Work reduce_scatter_tensor(const Tensor& output, const Tensor& input,
                           const ReduceOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::reduce_scatter)) return {};
  check_dtypes("reduce_scatter_tensor", output, input);
  if (output.numel() * group->size() != input.numel())
    fail<ShapeError>(
        "reduce_scatter_tensor: input must have {} times the elements of output: got "
        "shapes {} and {}",
        group->size(), input.shape(), output.shape());
  const Tensor in = contiguous_input(input);
  const OutputBuffer out(output, false);
  const Work work = Exchange{.kind = Kind::reduce_scatter,
                             .in = &in,
                             .out = &out,
                             .send_counts = equal_counts(*group, output.numel()),
                             .op = options.op,
                             .detail = in.shape().str()}
                        .start(*group);
  return finish_call(out.finish(work), options.async_op);
}

Work all_to_all(const std::vector<Tensor>& output_tensor_list,
                const std::vector<Tensor>& input_tensor_list, const CollectiveOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::all_to_all)) return {};
  if (input_tensor_list.empty())
    fail<ValueError>("all_to_all: input_tensor_list is empty, expected {} tensors", group->size());
  const Tensor& like = input_tensor_list[0];
  check_list("all_to_all", "input_tensor_list", input_tensor_list, group->size(), like);
  check_list("all_to_all", "output_tensor_list", output_tensor_list, group->size(), like);
  check_own_part("all_to_all", "input_tensor_list", "that of output_tensor_list", input_tensor_list,
                 output_tensor_list[static_cast<std::size_t>(group->rank())], *group);
  const Tensor in = concatenate("all_to_all", input_tensor_list);
  const OutputBuffer out("all_to_all", output_tensor_list);
  const Work work = Exchange{.kind = Kind::all_to_all,
                             .in = &in,
                             .out = &out,
                             .send_counts = numels(input_tensor_list),
                             .receive_counts = numels(output_tensor_list),
                             .detail = shapes_text(input_tensor_list)}
                        .start(*group);
  return finish_call(out.finish(work), options.async_op);
}

namespace {

/// Returns the numbers of elements of the parts of `t` along dimension 0.
std::vector<std::int64_t> split_counts(const char* name, const Tensor& t,
                                       const std::vector<std::int64_t>& sizes,
                                       const ProcessGroup& group) {
  if (t.dim() == 0)
    fail<ShapeError>("all_to_all_single: {} must have at least one dimension", name);
  const std::int64_t rows = t.size(0), row = rows == 0 ? 0 : t.numel() / rows;
  std::vector<std::int64_t> counts = sizes;
  if (sizes.empty()) {
    if (rows % group.size() != 0)
      fail<ShapeError>("all_to_all_single: {} of {} rows is not divisible by {} ranks", name, rows,
                       group.size());
    counts = equal_counts(group, rows / group.size());
  }
  if (counts.size() != static_cast<std::size_t>(group.size()) ||
      std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) != rows)
    fail<ShapeError>(
        "all_to_all_single: the split sizes {} do not match the {} rows of {} and {} "
        "ranks",
        Shape(counts), rows, name, group.size());
  for (std::int64_t& count : counts) {
    if (count < 0) fail<ValueError>("all_to_all_single: negative split size {}", count);
    count *= row;
  }
  return counts;
}

}  // namespace

Work all_to_all_single(const Tensor& output, const Tensor& input, const AllToAllOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::all_to_all)) return {};
  check_dtypes("all_to_all_single", output, input);
  std::vector<std::int64_t> sent = split_counts("input", input, options.input_split_sizes, *group),
                            received =
                                split_counts("output", output, options.output_split_sizes, *group);
  const Tensor in = contiguous_input(input);
  const OutputBuffer out(output, false);
  const Work work = Exchange{.kind = Kind::all_to_all,
                             .in = &in,
                             .out = &out,
                             .send_counts = std::move(sent),
                             .receive_counts = std::move(received),
                             .detail = in.shape().str()}
                        .start(*group);
  return finish_call(out.finish(work), options.async_op);
}

Work barrier(const CollectiveOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::barrier)) return {};
  return finish_call(group->start({}), options.async_op);
}

void monitored_barrier(const MonitoredBarrierOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, Kind::barrier)) return;
  group->start({}).wait(options.timeout.value_or(group->options().timeout));
}

}  // namespace taper::distributed
