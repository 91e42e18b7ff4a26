#include "collective_cost.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/check.h"

namespace planning {
namespace {

using taper::fail;

constexpr std::array kAlgorithms = {
    std::pair("ring", Algorithm::ring), std::pair("tree", Algorithm::tree),
    std::pair("hierarchical", Algorithm::hierarchical), std::pair("gloo", Algorithm::gloo),
    std::pair("best", Algorithm::best)};

Cost operator+(const Cost& a, const Cost& b) { return {a.seconds + b.seconds, a.bytes + b.bytes}; }

Cost faster(const Cost& a, const Cost& b) { return b.seconds < a.seconds ? b : a; }

int ceil_log2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))); }

int num_nodes(const Cluster& c) { return (c.ranks + c.ranks_per_node - 1) / c.ranks_per_node; }

/// Returns the time of a step in which each rank sends to the next one: one message leaves a node.
double neighbor_seconds(const Cluster& c, double bytes) {
  if (num_nodes(c) == 1) return c.inside.seconds(bytes);
  const double network = c.network.seconds(bytes);
  return c.ranks_per_node == 1 ? network : std::max(network, c.inside.seconds(bytes));
}

/// Returns the time of a step in which each rank exchanges messages with one at a distance: those
/// of all ranks of a node share its link if the distance is not less than a node.
double exchange_seconds(const Cluster& c, int distance, double bytes) {
  if (distance < c.ranks_per_node) return c.inside.seconds(bytes);
  return c.network.seconds(bytes * std::min(c.ranks_per_node, c.ranks));
}

/// Passes each of `ranks` parts once around a ring. The same for a reduce_scatter.
Cost ring_gather(const Cluster& c, double bytes) {
  const double steps = c.ranks - 1, part = bytes / c.ranks;
  return {steps * neighbor_seconds(c, part), steps * part};
}

/// In each step, ranks exchange what they have with a partner, so that the size doubles; the last
/// step completes it. A reduce_scatter executes the steps in the opposite order.
Cost doubling_gather(const Cluster& c, double bytes) {
  Cost cost;
  const double part = bytes / c.ranks;
  for (int distance = 1; distance < c.ranks; distance *= 2) {
    const double sent = part * std::min(distance, c.ranks - distance);
    cost = cost + Cost{exchange_seconds(c, distance, sent), sent};
  }
  return cost;
}

/// Exchanges whole buffers between partners.
Cost doubling_reduce(const Cluster& c, double bytes) {
  Cost cost;
  for (int distance = 1; distance < c.ranks; distance *= 2)
    cost = cost + Cost{exchange_seconds(c, distance, bytes), bytes};
  return cost;
}

Cost tree_reduce(const Cluster& c, double bytes) {
  Cluster power = c;
  power.ranks = static_cast<int>(std::bit_floor(static_cast<unsigned>(c.ranks)));
  const Cost gather = doubling_gather(power, bytes);
  const Cost cost = faster(doubling_reduce(power, bytes), gather + gather);
  const int rest = c.ranks - power.ranks;
  if (rest == 0) return cost;
  // The other ranks send their buffers to a partner before, and receive the result afterward.
  const double share = static_cast<double>(power.ranks) / c.ranks;
  return {cost.seconds + 2 * neighbor_seconds(c, bytes),
          cost.bytes * share + 2 * bytes * rest / c.ranks};
}

/// In each step, each rank with the buffer sends it to one without.
Cost tree_broadcast(const Cluster& c, double bytes) {
  // The ranks are halved down to nodes first, so that a node sends one message per step.
  const int nodes = num_nodes(c), within = std::min(c.ranks, c.ranks_per_node);
  return {ceil_log2(nodes) * c.network.seconds(bytes) + ceil_log2(within) * c.inside.seconds(bytes),
          bytes * (c.ranks - 1) / c.ranks};
}

/// Each step of the scatter halves what remains to be sent.
Cost ring_broadcast(const Cluster& c, double bytes) {
  Cost scatter;
  double remaining = bytes;
  for (int nodes = num_nodes(c); nodes > 1; nodes = (nodes + 1) / 2)
    scatter.seconds += c.network.seconds(remaining /= 2);
  for (int within = std::min(c.ranks, c.ranks_per_node); within > 1; within = (within + 1) / 2)
    scatter.seconds += c.inside.seconds(remaining /= 2);
  scatter.bytes = bytes * ceil_log2(c.ranks) / (2.0 * c.ranks);  // half of it in each step
  return scatter + ring_gather(c, bytes);
}

Cluster ranks_of_node(const Cluster& c) {
  return {c.ranks_per_node, c.ranks_per_node, c.network, c.inside, Algorithm::best};
}
/// One rank of each node, whose share of the link is `share`.
Cluster ranks_between_nodes(const Cluster& c, double share) {
  const Link link{c.network.latency, c.network.bandwidth * share};
  return {num_nodes(c), 1, link, link, Algorithm::best};
}

/// The ranks with the same index in their nodes form rings, each for its part of the buffer.
Cost hierarchical_gather(const Cluster& c, double bytes) {
  const double share = 1.0 / c.ranks_per_node;
  return ring_gather(ranks_between_nodes(c, share), bytes * share) +
         ring_gather(ranks_of_node(c), bytes);
}

Cost hierarchical_broadcast(const Cluster& c, double bytes) {
  const auto fastest = [&](const Cluster& level) {
    return faster(ring_broadcast(level, bytes), tree_broadcast(level, bytes));
  };
  const Cost between = fastest(ranks_between_nodes(c, 1)), within = fastest(ranks_of_node(c));
  return {between.seconds + within.seconds, between.bytes / c.ranks_per_node + within.bytes};
}

/// Returns the cost by the algorithm of the cluster, given those by each algorithm.
template <class Ring, class Tree, class Hierarchical>
Cost cost_of(const Cluster& c, Ring&& ring, Tree&& tree, Hierarchical&& hierarchical) {
  if (c.ranks == 1) return {};
  const bool fills_nodes = c.ranks % c.ranks_per_node == 0;
  const bool is_hierarchy = c.ranks_per_node > 1 && c.ranks > c.ranks_per_node && fills_nodes;
  switch (c.algorithm) {
    case Algorithm::tree: return tree();
    case Algorithm::hierarchical:
      if (c.ranks > c.ranks_per_node && !is_hierarchy)
        fail<taper::ValueError>(
            "hierarchical: {} ranks do not fill nodes of {} ranks: expected several ranks per "
            "node, and a multiple of them",
            c.ranks, c.ranks_per_node);
      return is_hierarchy ? hierarchical() : ring();
    case Algorithm::best: {
      const Cost flat = faster(ring(), tree());
      return is_hierarchy ? faster(flat, hierarchical()) : flat;
    }
    case Algorithm::ring:
    case Algorithm::gloo: break;
  }
  return ring();
}

}  // namespace

Algorithm algorithm_named(std::string_view name) {
  for (const auto& [known, algorithm] : kAlgorithms)
    if (name == known) return algorithm;
  fail<taper::ValueError>("unknown algorithm '{}': expected ring, tree, hierarchical, gloo or best",
                          name);
}

std::string_view name_of(Algorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)].first;
}

Cost all_gather_cost(const Cluster& c, double bytes) {
  return cost_of(
      c, [&] { return ring_gather(c, bytes); }, [&] { return doubling_gather(c, bytes); },
      [&] { return hierarchical_gather(c, bytes); });
}

Cost all_reduce_cost(const Cluster& c, double bytes) {
  const auto twice = [](const Cost& cost) { return cost + cost; };
  return cost_of(
      c, [&] { return twice(ring_gather(c, bytes)); }, [&] { return tree_reduce(c, bytes); },
      [&] { return twice(hierarchical_gather(c, bytes)); });
}

Cost reduce_scatter_cost(const Cluster& c, double bytes) {
  if (c.algorithm != Algorithm::gloo || c.ranks == 1) return all_gather_cost(c, bytes);
  const double others = bytes * (c.ranks - 1) / c.ranks;  // sent at the same time
  return {neighbor_seconds(c, others), others};
}

Cost reduce_cost(const Cluster& c, double bytes) {
  if (c.algorithm != Algorithm::gloo || c.ranks == 1) return broadcast_cost(c, bytes);
  const double others = bytes * (c.ranks - 1) / c.ranks;  // received by the root
  return ring_gather(c, bytes) + Cost{neighbor_seconds(c, others), others / c.ranks};
}

Cost broadcast_cost(const Cluster& c, double bytes) {
  const auto tree = [&] { return tree_broadcast(c, bytes); };
  if (c.algorithm == Algorithm::gloo && c.ranks > 1) return tree();
  return cost_of(
      c, [&] { return ring_broadcast(c, bytes); }, tree,
      [&] { return hierarchical_broadcast(c, bytes); });
}

}  // namespace planning
