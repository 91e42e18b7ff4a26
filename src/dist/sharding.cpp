#include "dist/sharding.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"

namespace taper::distributed {
namespace {

/// Shardings by their parameters, of all ranks of the process.
struct ShardingRegistry {
  std::mutex mutex;
  std::unordered_map<const TensorImpl*, std::weak_ptr<const Sharding>> entries;
};
ShardingRegistry& sharding_registry() {
  static ShardingRegistry registry;
  return registry;
}

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

std::shared_ptr<const Sharding> find_sharding(const Tensor& parameter) {
  ShardingRegistry& registry = sharding_registry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.entries.find(parameter.impl());
  return found == registry.entries.end() ? nullptr : found->second.lock();
}

Sharding::Sharding(const Tensor& parameter, std::string name, std::int64_t dim, const Group& group,
                   std::string_view owner)
    : parameter_(parameter),
      name_(std::move(name)),
      shape_(parameter.shape()),
      dim_(dim),
      group_(group),
      owner_(owner) {}

std::shared_ptr<const Sharding> Sharding::create(const Tensor& parameter, std::string name,
                                                 std::int64_t dim, const Group& group,
                                                 std::string_view owner) {
  const std::shared_ptr<const Sharding> made(
      new Sharding(parameter, std::move(name), dim, group, owner));
  ShardingRegistry& registry = sharding_registry();
  const std::lock_guard lock(registry.mutex);
  registry.entries[parameter.impl()] = made;
  return made;
}

Sharding::~Sharding() {
  ShardingRegistry& registry = sharding_registry();
  const std::lock_guard lock(registry.mutex);
  registry.entries.erase(parameter_.impl());
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
