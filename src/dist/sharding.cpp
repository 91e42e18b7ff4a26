#include "dist/sharding.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/tensor_annotation.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"

namespace taper::distributed {
namespace {

/// Annotation of a tensor that is divided. A parameter does not retain its sharding, so that the
/// division ends with the object that maintains it.
struct ShardingMark {
  std::shared_ptr<const Sharding> retained{};
  std::weak_ptr<const Sharding> sharding{};
};

}  // namespace

Piece piece_of_rank(std::int64_t n, int ranks, int rank) {
  const std::int64_t chunk = (n + ranks - 1) / ranks, begin = std::min(rank * chunk, n);
  return {begin, std::min(chunk, n - begin)};
}

std::vector<std::int64_t> piece_sizes(std::int64_t n, int ranks) {
  std::vector<std::int64_t> sizes;
  for (int rank = 0; rank < ranks; ++rank) sizes.push_back(piece_of_rank(n, ranks, rank).size);
  return sizes;
}

Tensor gather_pieces(const Tensor& mine, std::int64_t dim, const std::vector<std::int64_t>& sizes,
                     const Group& group) {
  std::vector<Tensor> pieces;
  Shape shape = mine.shape();
  for (const std::int64_t size : sizes) {
    shape[static_cast<std::size_t>(dim)] = size;
    pieces.push_back(empty(shape, {.dtype = mine.dtype(), .device = mine.device()}));
  }
  all_gather(pieces, mine, {.group = group});
  return cat(pieces, dim);
}

std::shared_ptr<const Sharding> find_sharding(const Tensor& tensor) {
  const auto mark = std::static_pointer_cast<const ShardingMark>(annotation(tensor));
  return mark ? mark->sharding.lock() : nullptr;
}

void reject_division_in(const Group& group, const Tensor& parameter, std::string_view call) {
  const auto sharding = find_sharding(parameter);
  if (!sharding) return;
  const std::vector<int>&all = group->ranks(), &parts = sharding->group()->ranks();
  const auto shared = std::count_if(parts.begin(), parts.end(), [&](int rank) {
    return std::find(all.begin(), all.end(), rank) != all.end();
  });
  if (shared > 1)
    fail<ValueError>(
        "{}: parameter '{}' is divided by {} among {} ranks of the process group, which must have "
        "equal parameters",
        call, sharding->name(), sharding->owner(), shared);
}

void set_sharding(const Tensor& tensor, std::shared_ptr<const Sharding> sharding) {
  set_annotation(tensor, std::make_shared<const ShardingMark>(ShardingMark{sharding, sharding}));
}

Sharding::Sharding(const Tensor& parameter, std::string name, std::int64_t dim, const Group& group,
                   std::string_view owner)
    : name_(std::move(name)), shape_(parameter.shape()), dim_(dim), group_(group), owner_(owner) {}

std::shared_ptr<const Sharding> Sharding::create(const Tensor& parameter, std::string name,
                                                 std::int64_t dim, const Group& group,
                                                 std::string_view owner) {
  const std::shared_ptr<const Sharding> made(
      new Sharding(parameter, std::move(name), dim, group, owner));
  set_annotation(parameter, std::make_shared<const ShardingMark>(ShardingMark{{}, made}));
  return made;
}

Piece Sharding::piece() const { return piece_of_rank(size(), group_->size(), group_->rank()); }

Shape Sharding::local_shape() const {
  Shape shape = shape_;
  shape[static_cast<std::size_t>(dim_)] = piece().size;
  return shape;
}

Tensor Sharding::local(const Tensor& full) const {
  const Piece mine = piece();
  return full.narrow(dim_, mine.begin, mine.size);
}

Tensor Sharding::gather(const Tensor& local) const {
  const NoGrad no_grad;
  return gather_pieces(local.detach(), dim_, piece_sizes(size(), group_->size()), group_);
}

}  // namespace taper::distributed
