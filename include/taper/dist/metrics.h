// Metrics over the batches of all ranks.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/dist/process_group.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace distributed {

namespace detail {

/// Stores the merged state of all ranks in `total`. `total` and `part` are metrics of the class and
/// with the options of `metric`; their states are overwritten.
void merge_over_ranks(const metrics::Metric& metric, metrics::Metric& total, metrics::Metric& part,
                      const Group& group);

}  // namespace detail

/// Returns a metric with the batches of all ranks: sums are added and lists are concatenated in
/// rank order. `metric` is unchanged, so that each rank continues with its own batches. Collective.
///
///     std::cout << distributed::merged(accuracy).compute() << '\n';
///
/// PyTorch: the synchronization of torchmetrics.Metric.compute.
template <std::derived_from<metrics::Metric> M>
M merged(const M& metric, const Group& group = nullptr) {
  M total = metric, part = metric;
  detail::merge_over_ranks(metric, total, part, group);
  return total;
}

}  // namespace distributed
}  // namespace taper
