// ExecInfo: the part of the graph that a backward pass with given inputs executes.
#pragma once
#include <unordered_map>
#include <vector>

#include "autograd/node.h"
#include "autograd/ready_queue.h"

namespace taper {

/// Targets of edges are nodes and leaves. A pass with inputs sends gradients to the inputs and to
/// the nodes on a path to them only.
class ExecInfo {
 public:
  /// If `capture` is true, the gradients of the inputs are stored in this object instead of in the
  /// leaves. `visited` is an empty worklist, which is empty again afterwards.
  ExecInfo(std::span<const Tensor> roots, std::span<const Tensor> inputs, bool capture,
           NodeSet& visited);

  /// Returns true if the target of `e` receives gradients.
  bool needs(const Edge& e) const { return targets_.contains(e.target()); }
  /// Stores the gradients that are requested from a target, which must be needed. Returns true if
  /// the target is also to be executed: a node with an edge that is needed, or a leaf that
  /// accumulates.
  bool capture(const void* target, std::span<const Tensor> grads);
  /// Returns the gradient captured for input `i`; undefined if none arrived.
  const Tensor& captured(std::size_t i) const { return captured_[i]; }

 private:
  struct Capture {
    std::size_t output_nr, input;
  };
  struct Target {
    bool execute = false;
    std::vector<Capture> captures{};
  };
  std::unordered_map<const void*, Target> targets_;
  std::vector<Tensor> captured_;
};

}  // namespace taper
