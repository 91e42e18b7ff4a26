#include "simulation.h"

#include <algorithm>
#include <numeric>

#include "dist/bucket_assignment.h"
#include "dist/zero_partition.h"

namespace planning {
namespace {

using taper::Tensor;

// Number of times that the elements of a buffer are copied.
constexpr double kCopiesIntoBucket = 2;  // a copy and the division by the number of ranks
constexpr double kCopiesOutOfBucket = 1;
constexpr double kCopiesOfBroadcast = 2;  // into the buffer, and out of it
// Number of reductions to one rank that may be pending.
constexpr std::size_t kMaxPendingBuckets = 2;

std::vector<Tensor> parameters_of(const RecordedStep& step) {
  std::vector<Tensor> params;
  for (const RecordedStep::Gradient& g : step.gradients) params.push_back(g.parameter);
  return params;
}

double bytes_of_all(const std::vector<Tensor>& tensors) {
  double bytes = 0;
  for (const Tensor& t : tensors) bytes += static_cast<double>(t.nbytes());
  return bytes;
}

void broadcast_buffer(Timeline& t, const RecordedStep& step, const Cluster& cluster, double bytes) {
  t.compute(kCopiesOfBroadcast * bytes * step.copy);
  t.run(broadcast_cost(cluster, bytes));
}

/// Reduces gradients in buckets during backward.
class BucketSimulation {
 public:
  BucketSimulation(Timeline& timeline, const RecordedStep& step, const Cluster& cluster,
                   const SimulationOptions& options, const std::vector<int>& owners)
      : timeline_(timeline),
        step_(step),
        cluster_(cluster),
        params_(parameters_of(step)),
        is_owned_(!owners.empty()) {
    arrival_.resize(params_.size());
    std::iota(arrival_.begin(), arrival_.end(), std::size_t{0});
    std::stable_sort(arrival_.begin(), arrival_.end(),
                     [&](std::size_t a, std::size_t b) { return ready(a) < ready(b); });
    bucket_of_.resize(params_.size());
    for (const auto& list :
         taper::distributed::assign_buckets(params_, arrival_, options.bucket_limits, owners)) {
      Bucket bucket{.pending = list.size()};
      for (const std::size_t i : list) {
        bucket.bytes += static_cast<double>(params_[i].nbytes());
        bucket_of_[i] = buckets_.size();
      }
      buckets_.push_back(bucket);
    }
  }

  void backward() {
    double last = 0;
    for (const std::size_t i : arrival_) {
      timeline_.compute(ready(i) - last);
      last = std::max(last, ready(i));
      const auto bytes = static_cast<double>(params_[i].nbytes());
      timeline_.compute(kCopiesIntoBucket * bytes * step_.copy);
      Bucket& bucket = buckets_[bucket_of_[i]];
      if (!bucket.is_open) allocated_ += bucket.bytes;
      peak_ = std::max(peak_, allocated_);
      bucket.is_open = true;
      --bucket.pending;
      for (; next_ < buckets_.size() && buckets_[next_].pending == 0; ++next_) start(next_);
    }
    timeline_.compute(step_.backward - last);
    for (const Bucket& bucket : buckets_) {
      timeline_.wait(bucket.end);
      if (!is_owned_) timeline_.compute(kCopiesOutOfBucket * bucket.bytes * step_.copy);
    }
  }
  /// Returns the largest sum of the bytes of buckets that exist at the same time, if each is
  /// reduced to one rank.
  double peak() const { return peak_; }

 private:
  void start(std::size_t index) {
    Bucket& bucket = buckets_[index];
    if (!is_owned_) {
      bucket.end = timeline_.start(all_reduce_cost(cluster_, bucket.bytes));
      return;
    }
    if (index >= kMaxPendingBuckets) {
      const Bucket& earlier = buckets_[index - kMaxPendingBuckets];
      timeline_.wait(earlier.end);
      allocated_ -= earlier.bytes;
    }
    bucket.end = timeline_.start(reduce_cost(cluster_, bucket.bytes));
  }

  struct Bucket {
    std::size_t pending = 0;
    double bytes = 0, end = 0;
    bool is_open = false;  ///< a gradient has arrived
  };
  /// Parameters without a gradient contribute zeros at the end.
  double ready(std::size_t i) const {
    return step_.gradients[i].ready < 0 ? step_.backward : step_.gradients[i].ready;
  }

  Timeline& timeline_;
  const RecordedStep& step_;
  const Cluster& cluster_;
  std::vector<Tensor> params_;
  bool is_owned_;
  double allocated_ = 0, peak_ = 0;
  std::vector<std::size_t> arrival_, bucket_of_;
  std::vector<Bucket> buckets_;
  std::size_t next_ = 0;
};

/// Simulates forward and backward of DistributedDataParallel, which reduces gradients to `owners`
/// unless they are empty. Returns BucketSimulation::peak.
double data_parallel_passes(Timeline& t, const RecordedStep& step, const Cluster& cluster,
                            const SimulationOptions& options, const std::vector<int>& owners = {}) {
  if (cluster.ranks == 1) {
    t.compute(step.forward + step.backward);
    return 0;
  }
  for (const std::int64_t bytes : step.buffer_bytes)
    broadcast_buffer(t, step, cluster, static_cast<double>(bytes));
  t.compute(step.forward);
  BucketSimulation buckets(t, step, cluster, options, owners);
  buckets.backward();
  return buckets.peak();
}

/// Returns the bytes of parameters, gradients, and buckets of gradients.
double replicated_bytes(const RecordedStep& step, const Cluster& cluster) {
  return static_cast<double>(step.parameter_bytes() +
                             (cluster.ranks > 1 ? 2 : 1) * step.gradient_bytes());
}

}  // namespace

Prediction prediction_of(const RecordedStep& step, const Timeline& timeline, double memory) {
  return {.seconds = timeline.now(),
          .communication = timeline.communication(),
          .efficiency = step.seconds() / timeline.now(),
          .bytes_sent = timeline.bytes(),
          .memory = memory};
}

Prediction simulate_ddp(const RecordedStep& step, const Cluster& cluster,
                        const SimulationOptions& options) {
  Timeline t(options.rates);
  data_parallel_passes(t, step, cluster, options);
  t.compute(step.update);
  const double state = step.state_per_byte * static_cast<double>(step.gradient_bytes());
  return prediction_of(step, t, replicated_bytes(step, cluster) + state);
}

Prediction simulate_zero(const RecordedStep& step, const Cluster& cluster,
                         const SimulationOptions& options) {
  taper::distributed::ZeroPartition partition(cluster.ranks);
  partition.add_group(parameters_of(step));
  std::vector<double> owned;
  std::vector<int> owners(step.gradients.size());
  for (int rank = 0; rank < cluster.ranks; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    owned.push_back(bytes_of_all(partition.params(index)));
    for (const std::size_t i : partition.positions(index, 0)) owners[i] = rank;
  }
  const bool shards_gradients = options.shard_gradients && cluster.ranks > 1;
  Timeline t(options.rates);
  const double buckets = data_parallel_passes(t, step, cluster, options,
                                              shards_gradients ? owners : std::vector<int>());
  const double largest = *std::max_element(owned.begin(), owned.end());
  t.compute(step.update * largest / static_cast<double>(step.gradient_bytes()));
  if (cluster.ranks > 1)
    for (const double bytes : owned)
      if (bytes > 0) broadcast_buffer(t, step, cluster, bytes);
  // The gradients of a rank are in its buckets, others exist until their bucket is reduced.
  const double passes = shards_gradients
                            ? static_cast<double>(step.parameter_bytes()) + largest + buckets
                            : replicated_bytes(step, cluster);
  return prediction_of(step, t, passes + step.state_per_byte * largest);
}

std::string_view name_of(Training training) {
  constexpr std::string_view names[] = {"DDP", "ZeRO-1", "ZeRO-2", "fully_shard",
                                        "fully_shard, prefetch"};
  return names[static_cast<std::size_t>(training)];
}

Prediction simulate(Training training, const RecordedStep& step, const Cluster& cluster,
                    SimulationOptions options) {
  if (training == Training::ddp) return simulate_ddp(step, cluster, options);
  options.shard_gradients = training == Training::zero_gradients;
  if (training == Training::zero || options.shard_gradients)
    return simulate_zero(step, cluster, options);
  options.prefetch_backward = true;
  options.prefetch_forward = training == Training::fully_shard_prefetch;
  return simulate_fully_shard(step, cluster, options);
}

}  // namespace planning
