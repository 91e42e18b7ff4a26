// What a backward pass still has to do: nodes and leaves with the gradients that reached them so
// far. The roots keep all of them alive.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "autograd/node.h"
#include "autograd/pointer_index.h"
#include "autograd/tensor_row.h"

namespace taper {

/// Nodes keyed by identity, popped latest first: every consumer of a node was made after it.
class PendingNodes {
 public:
  /// The gradients collected for `node`, one per output; it joins if it is new.
  TensorRow& grads_of(Node& node) {
    const auto [at, fresh] =
        index_.find_or_add(&node, free_.empty() ? entries_.size() : free_.back());
    if (fresh) {
      if (free_.empty())
        entries_.emplace_back();
      else
        free_.pop_back();
      entries_[at].node = &node;
      entries_[at].grads.reset(node.outputs().size());
      heap_.push_back({node.sequence, at});
      std::push_heap(heap_.begin(), heap_.end());
    }
    return entries_[at].grads;
  }
  bool empty() const { return heap_.empty(); }
  /// The latest node, and its gradients into `grads`.
  Node& pop(TensorRow& grads) {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::size_t at = heap_.back().entry;
    heap_.pop_back();
    index_.erase(entries_[at].node);
    free_.push_back(at);
    grads.take(entries_[at].grads);
    return *entries_[at].node;
  }
  std::size_t room() const { return index_.room(); }

 private:
  struct Entry {
    Node* node = nullptr;
    TensorRow grads{};
    Entry() = default;
    Entry(Entry&& o) noexcept : node(o.node) { grads.take(o.grads); }
  };
  struct Ranked {
    std::uint64_t sequence;
    std::size_t entry;
    bool operator<(const Ranked& o) const { return sequence < o.sequence; }
  };
  PointerIndex index_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> free_;
  std::vector<Ranked> heap_;
};

/// Leaves in the order in which they were reached.
class PendingLeaves {
 public:
  struct Entry {
    TensorImpl* leaf;
    Tensor grad;
  };
  Tensor& grad_of(TensorImpl& leaf) {
    const auto [at, fresh] = index_.find_or_add(&leaf, entries_.size());
    if (fresh) entries_.push_back({&leaf, {}});
    return entries_[at].grad;
  }
  std::vector<Entry>& all() { return entries_; }
  void clear() {
    for (const Entry& e : entries_) index_.erase(e.leaf);
    entries_.clear();
  }
  std::size_t room() const { return index_.room(); }

 private:
  PointerIndex index_;
  std::vector<Entry> entries_;
};

struct Pending {
  std::vector<Edge> roots;
  PendingNodes nodes;
  PendingLeaves leaves;

  void clear() { roots.clear(), leaves.clear(); }
};

/// A pass takes over the room of the last one on its thread, and leaves it to the next.
class PendingRoom {
 public:
  PendingRoom() : room_(kept ? std::move(kept) : std::make_unique<Pending>()) {}
  ~PendingRoom() {
    constexpr std::size_t kMostKept = 1 << 14;
    if (!room_->nodes.empty() || room_->nodes.room() + room_->leaves.room() > kMostKept) return;
    room_->clear();
    kept = std::move(room_);
  }
  PendingRoom(const PendingRoom&) = delete;
  PendingRoom& operator=(const PendingRoom&) = delete;
  Pending* operator->() { return room_.get(); }

 private:
  inline static thread_local std::unique_ptr<Pending> kept;
  std::unique_ptr<Pending> room_;
};

}  // namespace taper
