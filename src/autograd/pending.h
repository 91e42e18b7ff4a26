// What a backward pass still has to do: nodes with the gradients that reached them so far.
#pragma once
#include <algorithm>
#include <vector>

#include "autograd/node.h"

namespace taper {

/// Nodes keyed by identity, popped latest first: every consumer of a node was made after it.
class Pending {
 public:
  struct Entry {
    Ref<Node> node;
    std::vector<Tensor> grads;  // one per output of the node
  };

  /// The gradients collected for `node`, which joins if it is new.
  std::vector<Tensor>& grads_of(const Ref<Node>& node) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    std::size_t at = home(node.get());
    for (; slots_[at].node; at = next(at))
      if (slots_[at].node == node.get()) return entries_[slots_[at].entry].grads;
    std::size_t entry = entries_.size();
    if (free_.empty())
      entries_.emplace_back();
    else
      entry = free_.back(), free_.pop_back();
    entries_[entry].node = node;
    entries_[entry].grads.resize(node->outputs().size());
    slots_[at] = {node.get(), entry};
    ++used_;
    heap_.push_back({node->sequence, entry});
    std::push_heap(heap_.begin(), heap_.end());
    return entries_[entry].grads;
  }
  bool empty() const { return heap_.empty(); }
  Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::size_t entry = heap_.back().entry;
    heap_.pop_back();
    forget(entries_[entry].node.get());
    free_.push_back(entry);
    return {std::move(entries_[entry].node), std::exchange(entries_[entry].grads, {})};
  }

 private:
  struct Slot {
    Node* node = nullptr;
    std::size_t entry = 0;
  };
  struct Ranked {
    std::uint64_t sequence;
    std::size_t entry;
    bool operator<(const Ranked& o) const { return sequence < o.sequence; }
  };
  std::size_t home(const Node* n) const {
    return (reinterpret_cast<std::uintptr_t>(n) / 64 * 0x9e3779b97f4a7c15u >> 32) &
           (slots_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(std::max<std::size_t>(64, old.size() * 2), {});
    for (const Slot& s : old)
      if (s.node) {
        std::size_t at = home(s.node);
        while (slots_[at].node) at = next(at);
        slots_[at] = s;
      }
  }
  void forget(const Node* node) {
    std::size_t hole = home(node);
    while (slots_[hole].node != node) hole = next(hole);
    slots_[hole].node = nullptr;
    --used_;
    // Close the gap: move back what was pushed past it.
    for (std::size_t at = next(hole); slots_[at].node; at = next(at)) {
      const std::size_t want = home(slots_[at].node);
      const bool between = hole < at ? want > hole && want <= at : want > hole || want <= at;
      if (between) continue;
      slots_[hole] = slots_[at];
      slots_[at].node = nullptr;
      hole = at;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::size_t> free_;
  std::vector<Ranked> heap_;
};

}  // namespace taper
