#include "taper/dist/functional.h"

#include <numeric>

#include "core/check.h"
#include "dist/rank_context.h"
#include "dist/tensor_buffers.h"
#include "taper/autograd/function.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"

namespace taper::distributed::functional {
namespace {

using autograd::Context;
using Counts = std::vector<std::int64_t>;
using Gradients = std::vector<Tensor>;

Group member_group(const char* name, const Group& given) {
  const Group group = resolve_group(given);
  if (group->rank() < 0)
    fail<ValueError>("{}: the caller is not a member of the process group", name);
  return group;
}

/// Arguments of a collective on flat tensors, which its gradient requires.
struct FlatCall {
  Group group{};
  ReduceOp op = ReduceOp::sum;
  int root = -1;  ///< global rank
  Counts sent{}, received{};
};

std::int64_t total_count(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::vector<Tensor> split_flat(const Tensor& flat, const Counts& counts) {
  std::vector<Tensor> parts;
  std::int64_t offset = 0;
  for (const std::int64_t count : counts) {
    parts.push_back(flat.narrow(0, offset, count));
    offset += count;
  }
  return parts;
}

Tensor new_flat(const Tensor& like, std::int64_t count) {
  return empty(count, {.dtype = like.dtype(), .device = like.device()});
}

struct AllReduceSum : autograd::Function<AllReduceSum> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    Tensor y = x.clone();
    distributed::all_reduce(y, {.op = call.op, .group = call.group});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    return {apply(g[0], ctx.state<FlatCall>()), {}};
  }
};

struct AllReduceExtremum : autograd::Function<AllReduceExtremum> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    Tensor y = x.clone();
    distributed::all_reduce(y, {.op = call.op, .group = call.group});
    ctx.save_for_backward({x, y});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    const FlatCall call{.group = ctx.state<FlatCall>().group};
    const auto saved = ctx.saved_tensors();
    const Tensor is_extremum = saved[0].eq(saved[1]).to(g[0].dtype());
    const Tensor count = AllReduceSum::apply(is_extremum, call);
    return {AllReduceSum::apply(g[0], call) * is_extremum / count, {}};
  }
};

struct ReduceScatterFlat;

struct AllGatherFlat : autograd::Function<AllGatherFlat> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    Tensor y = new_flat(x, total_count(call.received));
    distributed::all_gather(split_flat(y, call.received), x, {.group = call.group});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g);
};

struct ReduceScatterFlat : autograd::Function<ReduceScatterFlat> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    const auto mine = call.received[static_cast<std::size_t>(call.group->rank())];
    Tensor y = new_flat(x, mine);
    distributed::reduce_scatter(y, split_flat(x, call.received),
                                {.op = call.op, .group = call.group});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    const FlatCall& call = ctx.state<FlatCall>();
    const Tensor all = AllGatherFlat::apply(g[0], call);
    return {call.op == ReduceOp::avg ? all / call.group->size() : all, {}};
  }
};

Gradients AllGatherFlat::backward(Context& ctx, const Gradients& g) {
  FlatCall call = ctx.state<FlatCall>();
  call.op = ReduceOp::sum;
  return {ReduceScatterFlat::apply(g[0], call), {}};
}

struct AllToAllFlat : autograd::Function<AllToAllFlat> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    Tensor y = new_flat(x, total_count(call.received));
    distributed::all_to_all_single(
        y, x,
        {.output_split_sizes = call.received, .input_split_sizes = call.sent, .group = call.group});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    FlatCall call = ctx.state<FlatCall>();
    std::swap(call.sent, call.received);
    return {apply(g[0], call), {}};
  }
};

bool is_root(const FlatCall& call) {
  return get_global_rank(call.group, call.group->rank()) == call.root;
}

struct BroadcastFrom;

struct ReduceTo : autograd::Function<ReduceTo> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    Tensor y = x.clone();
    distributed::reduce(y, call.root, {.group = call.group});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g);
};

struct BroadcastFrom : autograd::Function<BroadcastFrom> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    Tensor y = x.clone();
    distributed::broadcast(y, call.root, {.group = call.group});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    const FlatCall& call = ctx.state<FlatCall>();
    const Tensor sum = ReduceTo::apply(g[0], call);
    return {is_root(call) ? sum : sum * 0, {}};
  }
};

Gradients ReduceTo::backward(Context& ctx, const Gradients& g) {
  return {BroadcastFrom::apply(g[0], ctx.state<FlatCall>()), {}};
}

struct ScatterFlat;

/// Gathers parts of equal size. The result on ranks other than the root is zero.
struct GatherFlat : autograd::Function<GatherFlat> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    Tensor y = zeros(total_count(call.received), {.dtype = x.dtype(), .device = x.device()});
    const auto parts = is_root(call) ? split_flat(y, call.received) : std::vector<Tensor>();
    distributed::gather(x, parts, call.root, {.group = call.group});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g);
};

struct ScatterFlat : autograd::Function<ScatterFlat> {
  static Tensor forward(Context& ctx, const Tensor& x, const FlatCall& call) {
    ctx.state<FlatCall>() = call;
    Tensor y = new_flat(x, call.received[static_cast<std::size_t>(call.group->rank())]);
    const auto parts = is_root(call) ? split_flat(x, call.received) : std::vector<Tensor>();
    distributed::scatter(y, parts, call.root, {.group = call.group});
    return y;
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    return {GatherFlat::apply(g[0], ctx.state<FlatCall>()), {}};
  }
};

Gradients GatherFlat::backward(Context& ctx, const Gradients& g) {
  return {ScatterFlat::apply(g[0], ctx.state<FlatCall>()), {}};
}

Tensor flattened(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) parts.push_back(t.reshape({-1}));
  return cat(parts);
}

/// Returns the parts of a flat tensor with the shapes of `like`.
std::vector<Tensor> unflattened(const Tensor& flat, const std::vector<Tensor>& like) {
  std::vector<Tensor> parts = split_flat(flat, numels(like));
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = parts[i].view(like[i].shape());
  return parts;
}

Counts repeated(const Group& group, std::int64_t count) {
  return Counts(static_cast<std::size_t>(group->size()), count);
}

void check_average(const char* name, ReduceOp op) {
  if (op != ReduceOp::sum && op != ReduceOp::avg)
    fail<ValueError>("{}: expected sum or avg, got {}", name, distributed::name_of(op));
}

}  // namespace

Tensor all_reduce(const Tensor& tensor, ReduceOp op, const Group& given) {
  const FlatCall call{.group = member_group("all_reduce", given), .op = op};
  if (op == ReduceOp::min || op == ReduceOp::max) return AllReduceExtremum::apply(tensor, call);
  if (op != ReduceOp::sum && op != ReduceOp::avg && tensor.requires_grad() && is_grad_enabled())
    fail<ValueError>("all_reduce: {} is not differentiable", distributed::name_of(op));
  return AllReduceSum::apply(tensor, call);
}

Tensor broadcast(const Tensor& tensor, int src, const Group& given) {
  return BroadcastFrom::apply(tensor,
                              FlatCall{.group = member_group("broadcast", given), .root = src});
}

Tensor reduce(const Tensor& tensor, int dst, const Group& given) {
  return ReduceTo::apply(tensor, FlatCall{.group = member_group("reduce", given), .root = dst});
}

std::vector<Tensor> all_gather(const Tensor& tensor, const Group& given) {
  const Group group = member_group("all_gather", given);
  const Tensor all = AllGatherFlat::apply(
      tensor.reshape({-1}), FlatCall{.group = group, .received = repeated(group, tensor.numel())});
  return unflattened(all, std::vector<Tensor>(static_cast<std::size_t>(group->size()), tensor));
}

Tensor all_gather_tensor(const Tensor& tensor, IntArg gather_dim, const Group& given) {
  return cat(all_gather(tensor, given), gather_dim);
}

std::vector<Tensor> gather(const Tensor& tensor, int dst, const Group& given) {
  const Group group = member_group("gather", given);
  const Tensor all = GatherFlat::apply(
      tensor.reshape({-1}),
      FlatCall{.group = group, .root = dst, .received = repeated(group, tensor.numel())});
  return unflattened(all, std::vector<Tensor>(static_cast<std::size_t>(group->size()), tensor));
}

Tensor scatter(const std::vector<Tensor>& tensors, int src, const Group& given) {
  const Group group = member_group("scatter", given);
  if (tensors.empty()) fail<ValueError>("scatter: the list of tensors is empty");
  check_list("scatter", "tensors", tensors, group->size(), tensors[0]);
  const Tensor mine = ScatterFlat::apply(
      flattened(tensors), FlatCall{.group = group, .root = src, .received = numels(tensors)});
  return mine.view(tensors[static_cast<std::size_t>(group->rank())].shape());
}

Tensor reduce_scatter(const std::vector<Tensor>& tensors, ReduceOp op, const Group& given) {
  const Group group = member_group("reduce_scatter", given);
  check_average("reduce_scatter", op);
  if (tensors.empty()) fail<ValueError>("reduce_scatter: the list of tensors is empty");
  check_list("reduce_scatter", "tensors", tensors, group->size(), tensors[0]);
  const Tensor mine = ReduceScatterFlat::apply(
      flattened(tensors), FlatCall{.group = group, .op = op, .received = numels(tensors)});
  return mine.view(tensors[static_cast<std::size_t>(group->rank())].shape());
}

Tensor reduce_scatter_tensor(const Tensor& tensor, ReduceOp op, IntArg scatter_dim,
                             const Group& given) {
  const Group group = member_group("reduce_scatter_tensor", given);
  const std::int64_t size = tensor.size(scatter_dim);
  if (size % group->size() != 0)
    fail<ShapeError>("reduce_scatter_tensor: size {} of dimension {} is not divisible by {} ranks",
                     size, static_cast<std::int64_t>(scatter_dim), group->size());
  return reduce_scatter(tensor.chunk(group->size(), scatter_dim), op, group);
}

std::vector<Tensor> all_to_all(const std::vector<Tensor>& tensors,
                               const std::vector<Tensor>& output_like, const Group& given) {
  const Group group = member_group("all_to_all", given);
  if (tensors.empty()) fail<ValueError>("all_to_all: the list of tensors is empty");
  check_list("all_to_all", "tensors", tensors, group->size(), tensors[0]);
  check_list("all_to_all", "output_like", output_like, group->size(), tensors[0]);
  const Tensor received = AllToAllFlat::apply(
      flattened(tensors),
      FlatCall{.group = group, .sent = numels(tensors), .received = numels(output_like)});
  return unflattened(received, output_like);
}

Tensor all_to_all_single(const Tensor& tensor, const Counts& output_split_sizes,
                         const Counts& input_split_sizes, const Group& given) {
  const Group group = member_group("all_to_all_single", given);
  if (tensor.dim() == 0)
    fail<ShapeError>("all_to_all_single: the tensor must have at least one dimension");
  const std::int64_t rows = tensor.size(0);
  const auto counts_of_rows = [&](const Counts& sizes) {
    if (sizes.empty() && rows % group->size() != 0)
      fail<ShapeError>("all_to_all_single: {} rows are not divisible by {} ranks", rows,
                       group->size());
    return sizes.empty() ? repeated(group, rows / group->size()) : sizes;
  };
  FlatCall call{.group = group,
                .sent = counts_of_rows(input_split_sizes),
                .received = counts_of_rows(output_split_sizes)};
  if (total_count(call.sent) != rows)
    fail<ShapeError>("all_to_all_single: the split sizes {} do not match {} rows", Shape(call.sent),
                     rows);
  Shape row_shape = tensor.shape(), shape = tensor.shape();
  row_shape[0] = 1, shape[0] = total_count(call.received);
  for (Counts* counts : {&call.sent, &call.received})
    for (std::int64_t& count : *counts) count *= row_shape.numel();
  return AllToAllFlat::apply(tensor.reshape({-1}), call).view(shape);
}

}  // namespace taper::distributed::functional
