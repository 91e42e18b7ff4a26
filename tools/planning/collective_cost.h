// Modeled cost of collectives.
#pragma once
#include <cstdint>
#include <string_view>

namespace planning {

/// Connection between two ranks. A message of n bytes takes latency + n / bandwidth.
struct Link {
  double latency = 0;    ///< seconds
  double bandwidth = 1;  ///< bytes per second
  double seconds(double bytes) const { return latency + bytes / bandwidth; }
};

/// Algorithm of the collectives for p ranks, n bytes and a link of latency a and bandwidth B.
/// Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH",
/// 2005; Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice,
/// and experience", 2007.
enum class Algorithm : std::uint8_t {
  /// Messages to the next rank. all_gather and reduce_scatter: (p - 1) (a + n / p B); all_reduce:
  /// both of them. broadcast: a scatter along a binomial tree, then an all_gather.
  ring,
  /// Messages between ranks at distances of powers of two. all_gather and reduce_scatter:
  /// ceil(log2 p) a + n (p - 1) / p B. all_reduce: the faster of recursive doubling, log2 p
  /// (a + n / B), and both of these; p is reduced to a power of two by two messages of n bytes.
  /// broadcast: a binomial tree, ceil(log2 p) (a + n / B).
  tree,
  /// Rings within nodes, and rings between nodes, which share the link of a node, for parts of the
  /// buffer. broadcast: between nodes, then within nodes, each by the faster of `ring` and `tree`.
  hierarchical,
  /// Those of the engine of Gloo: rings for all_gather and all_reduce, a binomial tree for
  /// broadcast. reduce_scatter: a message from each rank to each other; reduce: a ring, then
  /// messages to the root.
  gloo,
  best  ///< the fastest of `ring`, `tree` and, if it is applicable, `hierarchical`
};
/// Returns the algorithm of a name. Throws ValueError if the name is unknown.
Algorithm algorithm_named(std::string_view name);
std::string_view name_of(Algorithm algorithm);

/// Ranks, which are numbered node by node.
struct Cluster {
  int ranks = 1;
  int ranks_per_node = 1;
  Link network{};  ///< of a node; its ranks share the bandwidth
  Link inside{};   ///< between two ranks of a node
  Algorithm algorithm = Algorithm::best;
};

/// Cost of a collective.
struct Cost {
  double seconds = 0;
  double bytes = 0;  ///< sent by a rank, on average over ranks
};

/// Return the cost of collectives on `bytes`: the elements that all_reduce and reduce
/// combine, that broadcast copies, that all_gather returns, and that reduce_scatter receives as
/// input. The cost for one rank is 0. The time of additions is included in the bandwidth. Throw
/// ValueError if the algorithm is `hierarchical` and the ranks do not fill several nodes, or a part
/// of one.
Cost all_reduce_cost(const Cluster& cluster, double bytes);
Cost all_gather_cost(const Cluster& cluster, double bytes);
Cost reduce_scatter_cost(const Cluster& cluster, double bytes);
Cost broadcast_cost(const Cluster& cluster, double bytes);
/// To one rank; for all algorithms but `gloo`, the steps of a broadcast in the opposite order.
Cost reduce_cost(const Cluster& cluster, double bytes);

}  // namespace planning
