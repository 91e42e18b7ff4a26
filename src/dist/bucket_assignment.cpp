#include "dist/bucket_assignment.h"

#include <algorithm>
#include <map>

namespace taper::distributed {

BucketAssignment assign_buckets(const std::vector<Tensor>& tensors,
                                const std::vector<std::size_t>& order,
                                const std::vector<std::int64_t>& limits,
                                const std::vector<int>& owners) {
  struct OpenBucket {
    std::vector<std::size_t> tensors{};
    std::int64_t bytes = 0;
    std::size_t closed = 0;    ///< number of earlier buckets of the owner and dtype
    std::size_t position = 0;  ///< of its first tensor in the order
  };
  std::map<std::pair<int, DType>, OpenBucket> open;
  BucketAssignment closed;
  for (std::size_t position = 0; position < order.size(); ++position) {
    const Tensor& t = tensors[order[position]];
    OpenBucket& bucket = open[{owners.empty() ? 0 : owners[order[position]], t.dtype()}];
    if (bucket.tensors.empty()) bucket.position = position;
    bucket.tensors.push_back(order[position]);
    bucket.bytes += static_cast<std::int64_t>(t.nbytes());
    if (bucket.bytes < limits[std::min(bucket.closed, limits.size() - 1)]) continue;
    closed.push_back(std::move(bucket.tensors));
    bucket = OpenBucket{.closed = bucket.closed + 1};
  }
  std::vector<OpenBucket> rest;
  for (auto& [key, bucket] : open)
    if (!bucket.tensors.empty()) rest.push_back(std::move(bucket));
  std::sort(rest.begin(), rest.end(),
            [](const OpenBucket& a, const OpenBucket& b) { return a.position < b.position; });
  for (OpenBucket& bucket : rest) closed.push_back(std::move(bucket.tensors));
  return closed;
}

}  // namespace taper::distributed
