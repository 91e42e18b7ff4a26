// Measurement of the network between the ranks of a job.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "collective_cost.h"
#include "timeline.h"

namespace planning {

/// Collective that was measured.
struct MeasuredCollective {
  enum class Kind : std::uint8_t { all_reduce, all_gather, broadcast };
  Kind kind = Kind::all_reduce;
  double bytes = 0;
  double seconds = 0;
};
std::string_view name_of(MeasuredCollective::Kind kind);
/// Returns the cost of a collective by the model.
Cost cost_of(MeasuredCollective::Kind kind, const Cluster& cluster, double bytes);

/// Network, and the effect of its collectives on computation.
struct Network {
  Link link{};
  OverlapRates rates{};
  std::vector<MeasuredCollective> collectives{};
};

/// Returns the link that minimizes the squares of the relative errors of the model, whose cost must
/// be linear in latency and 1 / bandwidth: algorithms except `best`. Throws ValueError unless the
/// collectives determine both.
Link fit_link(const std::vector<MeasuredCollective>& collectives, const Cluster& cluster);

/// Measures collectives of 4 KiB to 16 MiB, and the rates of an all_reduce and of
/// computation at the same time.
/// `cluster` specifies the algorithm of the engine. Collective.
Network measure_network(const Cluster& cluster);

/// Returns the mean over ranks. Collective.
double mean_over_ranks(double value);

}  // namespace planning
