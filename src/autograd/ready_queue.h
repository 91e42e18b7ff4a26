// Pending work of a backward pass: nodes and leaves with the gradients accumulated so far, in
// buffers that the passes of a thread reuse.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "autograd/node.h"
#include "autograd/pointer_map.h"
#include "autograd/small_tensor_vector.h"
#include "core/per_thread.h"

namespace taper {

/// Nodes in descending sequence order: every consumer of a node was created after it, so the
/// gradients of the first node in this order are complete.
class ReadyQueue {
 public:
  /// Returns the gradients accumulated for the outputs of the node. Enqueues the node if it is new.
  SmallTensorVector& input_buffer(Node& node) {
    const auto [slot, is_new] =
        index_.find_or_add(&node, free_slots_.empty() ? entries_.size() : free_slots_.back());
    if (is_new) {
      if (free_slots_.empty())
        entries_.emplace_back();
      else
        free_slots_.pop_back();
      entries_[slot].node = &node;
      entries_[slot].grads.reset(node.outputs().size());
      heap_.push_back({node.sequence_nr, slot});
      std::push_heap(heap_.begin(), heap_.end());
    }
    return entries_[slot].grads;
  }
  bool empty() const { return heap_.empty(); }
  /// Removes the node with the largest sequence number and moves its gradients into `grads`.
  Node& pop(SmallTensorVector& grads) {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::size_t slot = heap_.back().entry;
    heap_.pop_back();
    index_.erase(entries_[slot].node);
    free_slots_.push_back(slot);
    grads.take(entries_[slot].grads);
    return *entries_[slot].node;
  }
  template <class Visit> void for_each(Visit&& visit) const {
    for (const HeapEntry& r : heap_) visit(*entries_[r.entry].node);
  }
  std::size_t capacity() const { return index_.capacity(); }

 private:
  struct Entry {
    Node* node = nullptr;
    SmallTensorVector grads{};
    Entry() = default;
    Entry(Entry&& o) noexcept : node(o.node) { grads.take(o.grads); }
  };
  struct HeapEntry {
    std::uint64_t sequence_nr;
    std::size_t entry;
    bool operator<(const HeapEntry& o) const { return sequence_nr < o.sequence_nr; }
  };
  PointerMap index_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> free_slots_;
  std::vector<HeapEntry> heap_;
};

/// Gradients accumulated for leaves, in the order in which the leaves were reached.
class LeafGradients {
 public:
  struct Entry {
    TensorImpl* leaf;
    Tensor grad{};
    std::size_t expected = 0;  ///< remaining contributions, in a pass that counts them
  };
  Entry& entry(TensorImpl& leaf) {
    const auto [slot, is_new] = index_.find_or_add(&leaf, entries_.size());
    if (is_new) entries_.push_back({&leaf});
    return entries_[slot];
  }
  std::span<Entry> entries() { return entries_; }
  void clear() {
    for (const Entry& e : entries_) index_.erase(e.leaf);
    entries_.clear();
  }
  std::size_t capacity() const { return index_.capacity(); }

 private:
  PointerMap index_;
  std::vector<Entry> entries_;
};

/// Set of nodes in insertion order: the worklist of graph traversals.
class NodeSet {
 public:
  void insert(Node& node) {
    if (index_.find_or_add(&node, 0).second) nodes_.push_back(&node);
  }
  std::size_t size() const { return nodes_.size(); }
  Node& operator[](std::size_t i) const { return *nodes_[i]; }
  void clear() {
    for (const Node* n : nodes_) index_.erase(n);
    nodes_.clear();
  }
  std::size_t capacity() const { return index_.capacity(); }

 private:
  PointerMap index_;
  std::vector<Node*> nodes_;
};

/// Buffers of a pass. The roots own all nodes and leaves that are reachable from them.
struct PassBuffers {
  std::vector<Edge> roots;
  ReadyQueue ready;
  LeafGradients leaves;
  NodeSet visited;

  void clear() { roots.clear(), leaves.clear(), visited.clear(); }
};

/// Reuses the buffers of the thread's previous pass. Returns them on destruction, unless they are
/// large or the pass failed. A nested pass allocates its own.
class ReusableBuffers {
 public:
  ReusableBuffers() : buffers_(std::move(PerThread<Cached>::get().buffers)) {
    if (!buffers_) buffers_ = std::make_unique<PassBuffers>();
  }
  ~ReusableBuffers() {
    constexpr std::size_t kMaxCached = 1 << 14;
    const PassBuffers& b = *buffers_;
    if (!b.ready.empty() ||
        b.ready.capacity() + b.leaves.capacity() + b.visited.capacity() > kMaxCached)
      return;
    buffers_->clear();
    PerThread<Cached>::get().buffers = std::move(buffers_);
  }
  ReusableBuffers(const ReusableBuffers&) = delete;
  ReusableBuffers& operator=(const ReusableBuffers&) = delete;
  PassBuffers* operator->() { return buffers_.get(); }

 private:
  struct Cached {
    std::unique_ptr<PassBuffers> buffers;
  };
  std::unique_ptr<PassBuffers> buffers_;
};

}  // namespace taper
