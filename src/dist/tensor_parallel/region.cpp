#include "dist/tensor_parallel/region.h"

#include "core/check.h"
#include "dist/rank_context.h"
#include "dist/sharding.h"
#include "taper/autograd/function.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"
#include "taper/dist/functional.h"

namespace taper::distributed {
namespace {

using autograd::Context;
using Gradients = std::vector<Tensor>;

/// Arguments of a conversion, which its gradient requires.
struct RegionCall {
  Group group{};
  Parts parts{};

  std::size_t rank() const { return static_cast<std::size_t>(group->rank()); }
};

/// Returns the parts of all ranks of a tensor.
std::vector<Tensor> split_parts(const Tensor& x, const Parts& parts) {
  return x.split(Shape(parts.sizes), parts.dim);
}

struct SumOverRanks;
struct OwnPart;
struct OwnPartOfSum;

// The derivative of each conversion is the conversion of the opposite kind.
struct EnterParallel : autograd::Function<EnterParallel> {
  static Tensor forward(Context& ctx, const Tensor& x, const RegionCall& call) {
    ctx.state<RegionCall>() = call;
    return x.view(x.shape());
  }
  static Gradients backward(Context& ctx, const Gradients& g);
};

struct SumOverRanks : autograd::Function<SumOverRanks> {
  static Tensor forward(Context& ctx, const Tensor& x, const RegionCall& call) {
    ctx.state<RegionCall>() = call;
    const Tensor sum = x.clone();
    all_reduce(sum, {.group = call.group});
    return sum;
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    return {EnterParallel::apply(g[0], ctx.state<RegionCall>()), {}};
  }
};

Gradients EnterParallel::backward(Context& ctx, const Gradients& g) {
  return {SumOverRanks::apply(g[0], ctx.state<RegionCall>()), {}};
}

struct GatherParts : autograd::Function<GatherParts> {
  static Tensor forward(Context& ctx, const Tensor& x, const RegionCall& call) {
    ctx.state<RegionCall>() = call;
    return gather_pieces(x, call.parts.dim, call.parts.sizes, call.group);
  }
  static Gradients backward(Context& ctx, const Gradients& g);
};

struct OwnPart : autograd::Function<OwnPart> {
  static Tensor forward(Context& ctx, const Tensor& x, const RegionCall& call) {
    ctx.state<RegionCall>() = call;
    return split_parts(x, call.parts)[call.rank()].contiguous();
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    return {GatherParts::apply(g[0], ctx.state<RegionCall>()), {}};
  }
};

Gradients GatherParts::backward(Context& ctx, const Gradients& g) {
  return {OwnPart::apply(g[0], ctx.state<RegionCall>()), {}};
}

struct GatherAndEnter : autograd::Function<GatherAndEnter> {
  static Tensor forward(Context& ctx, const Tensor& x, const RegionCall& call) {
    ctx.state<RegionCall>() = call;
    return gather_pieces(x, call.parts.dim, call.parts.sizes, call.group);
  }
  static Gradients backward(Context& ctx, const Gradients& g);
};

struct OwnPartOfSum : autograd::Function<OwnPartOfSum> {
  static Tensor forward(Context& ctx, const Tensor& x, const RegionCall& call) {
    ctx.state<RegionCall>() = call;
    const std::vector<Tensor> parts = split_parts(x, call.parts);
    const Tensor mine =
        empty(parts[call.rank()].shape(), {.dtype = x.dtype(), .device = x.device()});
    reduce_scatter(mine, parts, {.group = call.group});
    return mine;
  }
  static Gradients backward(Context& ctx, const Gradients& g) {
    return {GatherAndEnter::apply(g[0], ctx.state<RegionCall>()), {}};
  }
};

Gradients GatherAndEnter::backward(Context& ctx, const Gradients& g) {
  return {OwnPartOfSum::apply(g[0], ctx.state<RegionCall>()), {}};
}

template <class Conversion>
Tensor convert(const Tensor& x, const Group& group, const Parts& parts = {}) {
  return group->size() == 1 ? x : Conversion::apply(x, RegionCall{group, parts});
}

}  // namespace

Tensor enter_parallel(const Tensor& x, const Group& group) {
  return convert<EnterParallel>(x, group);
}
Tensor sum_over_ranks(const Tensor& x, const Group& group) {
  return convert<SumOverRanks>(x, group);
}
Tensor gather_parts(const Tensor& x, const Parts& parts, const Group& group) {
  return convert<GatherParts>(x, group, parts);
}
Tensor gather_and_enter(const Tensor& x, const Parts& parts, const Group& group) {
  return convert<GatherAndEnter>(x, group, parts);
}
Tensor own_part(const Tensor& x, const Parts& parts, const Group& group) {
  return convert<OwnPart>(x, group, parts);
}
Tensor own_part_of_sum(const Tensor& x, const Parts& parts, const Group& group) {
  return convert<OwnPartOfSum>(x, group, parts);
}

std::int64_t LayoutContext::checked_dim(const Tensor& x, std::int64_t d) const {
  const auto dim = wrap_index(d, x.dim());
  if (!dim)
    fail<IndexError>("{}: dimension {} of the layout is out of range for the shape {}", where, d,
                     x.shape());
  return *dim;
}

Parts parts_of(const Tensor& whole, std::int64_t dim, const LayoutContext& at) {
  const std::int64_t d = at.checked_dim(whole, dim);
  return {d, piece_sizes(whole.size(d), at.group->size())};
}

std::vector<std::int64_t> exchange_sizes(std::int64_t size, const Group& group) {
  const NoGrad no_grad;
  if (group->size() == 1) return {size};
  const Tensor all = empty({group->size()}, {.dtype = DType::i64});
  all_gather_into_tensor(all, full({1}, size, {.dtype = DType::i64}), {.group = group});
  std::vector<std::int64_t> sizes;
  for (int r = 0; r < group->size(); ++r) sizes.push_back(all.select(0, r).item<std::int64_t>());
  return sizes;
}

Parts exchange_parts(const Tensor& x, std::int64_t dim, const LayoutContext& at) {
  const std::int64_t d = at.checked_dim(x, dim);
  return {d, exchange_sizes(x.size(d), at.group)};
}

Tensor redistribute(const Tensor& x, const Placement& from, const Placement& to,
                    const LayoutContext& at) {
  if (from.is_replicate())
    return to.is_replicate() ? x : own_part(x, parts_of(x, to.dim(), at), at.group);
  const std::int64_t d = at.checked_dim(x, from.dim());
  if (to.is_shard() && at.checked_dim(x, to.dim()) == d) return x;
  const Parts here = exchange_parts(x, d, at);
  if (to.is_replicate()) return gather_parts(x, here, at.group);
  const Parts there = parts_of(x, to.dim(), at);
  if (at.group->size() == 1) return x;
  std::vector<Tensor> like;
  Shape shape = x.shape();
  shape[static_cast<std::size_t>(there.dim)] =
      there.sizes[static_cast<std::size_t>(at.group->rank())];
  for (const std::int64_t size : here.sizes) {
    shape[static_cast<std::size_t>(d)] = size;
    like.push_back(empty(shape, {.dtype = x.dtype(), .device = x.device()}));
  }
  return cat(functional::all_to_all(split_parts(x, there), like, at.group), d);
}

Tensor reduce_to(const Tensor& partial, const Placement& to, const LayoutContext& at) {
  if (to.is_replicate()) return sum_over_ranks(partial, at.group);
  return own_part_of_sum(partial, parts_of(partial, to.dim(), at), at.group);
}

Tensor redistribute(const Tensor& tensor, const Placement& from, const Placement& to,
                    const Group& given) {
  const Group& group = resolve_group(given);
  if (group->rank() < 0)
    fail<ValueError>("redistribute: the caller is not a member of the process group");
  return redistribute(tensor, from, to, LayoutContext{.where = "redistribute", .group = group});
}

}  // namespace taper::distributed
