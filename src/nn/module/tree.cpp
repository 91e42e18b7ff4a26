#include "nn/module/tree.h"

#include <algorithm>
#include <cstring>

#include "core/open_hash.h"

namespace taper::nn {

bool IdentitySet::insert(const void* p) {
  if (2 * count_ >= capacity_) grow();
  return insert_slot(p);
}

bool IdentitySet::insert_slot(const void* p) {
  const std::size_t at = open_hash::probe(open_hash::mix(p), capacity_, [&](std::size_t slot) {
    return !slots_[slot] || slots_[slot] == p;
  });
  if (slots_[at]) return false;
  slots_[at] = p;
  ++count_;
  return true;
}

void IdentitySet::grow() {
  const void** const old = slots_;
  const std::size_t old_capacity = capacity_;
  const std::vector<const void*> old_heap = std::move(heap_);  // `old`, if it is on the heap
  if (old == small_slots_) {
    capacity_ = kLargeCapacity;
    slots_ = large_slots_;
    std::fill_n(large_slots_, kLargeCapacity, nullptr);
  } else {
    capacity_ *= 4;
    heap_.assign(capacity_, nullptr);
    slots_ = heap_.data();
  }
  count_ = 0;
  for (std::size_t i = 0; i < old_capacity; ++i)
    if (old[i]) insert_slot(old[i]);
}

void PathBuffer::append_name(std::string_view text) {
  const std::size_t start = size_ == 0 ? 0 : size_ + 1, end = start + text.size();
  if (heap_.empty() && end > sizeof inline_) heap_.assign(inline_, size_);
  if (!heap_.empty() && heap_.size() < end) heap_.resize(2 * end);
  char* const to = heap_.empty() ? inline_ : heap_.data();
  if (size_ != 0) to[size_] = '.';
  if (!text.empty()) std::memcpy(to + start, text.data(), text.size());
  size_ = end;
}

std::string ModuleTraversal::join_path(std::string_view path, std::string_view name) {
  std::string out(path);
  if (!out.empty()) out += '.';
  return out += name;
}

bool ModuleTraversal::mark_visited(Module& m) {
  if (!options_.remove_duplicate) return true;
  if (!seen_.insert(&m)) return false;
  if (options_.memo) options_.memo->push_back(&m);
  return true;
}

void ModuleTraversal::visit_subtree(Module& m, const Visit& visit) {
  if (!mark_visited(m)) return;
  visit.call(visit.f, m, path_);
  if (!options_.recurse) return;
  struct ChildVisitor final : MemberVisitor {
    ModuleTraversal& tree;
    const Visit& visit;
    ChildVisitor(ModuleTraversal& t, const Visit& v) : tree(t), visit(v) {}
    void child(const ChildSlot& s) override {
      if (!s.module) return;
      const std::size_t length = tree.path_.size();
      if (tree.with_paths_) tree.path_.append_name(s.name);
      tree.visit_subtree(*s.module, visit);
      tree.path_.truncate(length);
    }
  } child_visitor(*this, visit);
  if (options_.remove_duplicate) {
    ModuleAccess::accept(m, child_visitor);
  } else {
    const RecursionGuard guard(m, "named_modules");
    ModuleAccess::accept(m, child_visitor);
  }
}

std::vector<NamedModule> children_of(Module& module, bool distinct) {
  struct ChildCollector final : MemberVisitor {
    std::vector<NamedModule> found;
    bool distinct;
    void child(const ChildSlot& s) override {
      if (!s.module) return;
      if (distinct)
        for (const NamedModule& c : found)
          if (c.module == s.module) return;
      found.push_back({std::string(s.name), s.module});
    }
  } list;
  list.distinct = distinct;
  ModuleAccess::accept(module, list);
  return std::move(list.found);
}

}  // namespace taper::nn
