// Simulation of fully_shard.
#include <algorithm>
#include <functional>

#include "dist/sharding.h"
#include "simulation.h"

namespace planning {
namespace {

/// Returns the bytes of a tensor that the first rank, which has the most rows, stores.
double shard_bytes(const taper::Tensor& t, int ranks) {
  if (t.dim() == 0 || t.size(0) == 0) return static_cast<double>(t.nbytes());
  const auto rows = taper::distributed::piece_of_rank(t.size(0), ranks, 0).size;
  return static_cast<double>(t.nbytes()) * static_cast<double>(rows) /
         static_cast<double>(t.size(0));
}

/// Returns the bytes of a unit in collectives, in which all ranks have the rows of the first.
double padded_bytes(const RecordedStep::Unit& unit, int ranks, bool only_trainable) {
  double bytes = 0;
  for (const taper::Tensor& p : unit.parameters)
    if (p.requires_grad() || !only_trainable) bytes += ranks * shard_bytes(p, ranks);
  return bytes;
}

class FullyShardSimulation {
 public:
  FullyShardSimulation(const RecordedStep& step, const Cluster& cluster,
                       const SimulationOptions& options)
      : step_(step), cluster_(cluster), options_(options), timeline_(options.rates) {}

  Prediction run() {
    pass(std::max(step_.forward, step_.unit_forward), true, options_.prefetch_forward);
    pass(std::max(step_.backward, step_.unit_backward), false, options_.prefetch_backward);
    finish_reduction();
    timeline_.compute(step_.update * shard_share());
    return prediction_of(step_, timeline_, memory());
  }

 private:
  struct Event {
    double time;
    bool is_end;
    std::size_t unit;
  };

  /// Returns the begins and ends of the units in a pass. At equal times a unit ends before the next
  /// one begins; the network contains all others.
  std::vector<Event> events(double duration, bool is_forward) const {
    std::vector<Event> all, ends;
    const std::size_t count = step_.units.size();
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = is_forward || k == 0 ? k : count - k;
      const RecordedStep::Unit& u = step_.units[i];
      const double begin = is_forward ? u.forward_begin : u.backward_begin;
      const double end = is_forward ? u.forward_end : u.backward_end;
      if (begin < 0) continue;
      all.push_back({begin, false, i});
      (i == 0 ? ends : all).push_back({end < 0 ? duration : end, true, i});
    }
    all.insert(all.end(), ends.begin(), ends.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    return all;
  }

  void pass(double duration, bool is_forward, bool prefetches) {
    const std::vector<Event> all = events(duration, is_forward);
    gathered_.assign(step_.units.size(), kNotStarted);
    double last = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      timeline_.compute(all[k].time - last);
      last = std::max(last, all[k].time);
      if (all[k].is_end) {
        if (!is_forward) reduce(all[k].unit);
        continue;
      }
      gather(all[k].unit);
      // The copies of backward are those of the parameters and those of the gradients.
      const double copies = is_forward ? step_.shard_forward : step_.shard_backward / 2;
      timeline_.compute(static_cast<double>(step_.units[all[k].unit].bytes()) * copies);
      if (!prefetches) continue;
      const auto next = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(k) + 1, all.end(),
                                     [](const Event& e) { return !e.is_end; });
      if (next != all.end()) start_gather(next->unit);
    }
    timeline_.compute(duration - last);
  }

  void start_gather(std::size_t unit) {
    if (gathered_[unit] != kNotStarted) return;
    const double bytes = padded_bytes(step_.units[unit], cluster_.ranks, false);
    gathered_[unit] = bytes == 0 ? 0 : timeline_.start(all_gather_cost(cluster_, bytes));
  }
  void gather(std::size_t unit) {
    start_gather(unit);
    timeline_.wait(gathered_[unit]);
  }
  /// Starts the reduction of a unit after that of the preceding one.
  void reduce(std::size_t unit) {
    const double bytes = padded_bytes(step_.units[unit], cluster_.ranks, true);
    if (bytes == 0) return;
    finish_reduction();
    timeline_.compute(bytes * step_.shard_backward / 2);
    reduced_ = timeline_.start(reduce_scatter_cost(cluster_, bytes));
  }
  void finish_reduction() { timeline_.wait(reduced_); }

  /// Returns the largest share of the trainable elements that a rank updates.
  double shard_share() const {
    double bytes = 0;
    for (const RecordedStep::Gradient& g : step_.gradients)
      bytes += shard_bytes(g.parameter, cluster_.ranks);
    return bytes / static_cast<double>(step_.gradient_bytes());
  }

  /// Shards of parameters, gradients and optimizer state; the parameters and gradients of the
  /// network and of the largest other unit; the parameters of the next one.
  double memory() const {
    double shards = 0;
    std::vector<double> units;
    for (const RecordedStep::Unit& u : step_.units) {
      units.push_back(static_cast<double>(u.bytes()));
      for (const taper::Tensor& p : u.parameters) {
        const double bytes = shard_bytes(p, cluster_.ranks);
        shards += bytes * (p.requires_grad() ? 2 + step_.state_per_byte : 1);
      }
    }
    std::sort(units.begin() + 1, units.end(), std::greater<>());
    units.resize(std::max(units.size(), std::size_t{3}));
    const bool prefetches = options_.prefetch_forward || options_.prefetch_backward;
    return shards + 2 * (units[0] + units[1]) + (prefetches ? units[2] : 0);
  }

  static constexpr double kNotStarted = -1;

  const RecordedStep& step_;
  const Cluster& cluster_;
  const SimulationOptions& options_;
  Timeline timeline_;
  std::vector<double> gathered_;  ///< per unit: end of the all_gather of the pass
  double reduced_ = 0;            ///< end of the last reduction
};

}  // namespace

Prediction simulate_fully_shard(const RecordedStep& step, const Cluster& cluster,
                                const SimulationOptions& options) {
  return FullyShardSimulation(step, cluster, options).run();
}

}  // namespace planning
