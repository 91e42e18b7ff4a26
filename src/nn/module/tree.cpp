#include "nn/module/tree.h"

namespace taper::nn {

bool IdentitySet::insert(const void* p) {
  if (2 * count_ >= capacity_) grow();
  return place(p);
}

bool IdentitySet::place(const void* p) {
  const void** slots = heap_.empty() ? inline_ : heap_.data();
  std::size_t at =
      (reinterpret_cast<std::uintptr_t>(p) * 0x9e3779b97f4a7c15u >> 32) & (capacity_ - 1);
  for (; slots[at]; at = (at + 1) & (capacity_ - 1))
    if (slots[at] == p) return false;
  slots[at] = p;
  ++count_;
  return true;
}

void IdentitySet::grow() {
  const std::vector<const void*> old =
      heap_.empty() ? std::vector<const void*>(inline_, inline_ + kInline) : std::move(heap_);
  capacity_ *= 4;
  heap_.assign(capacity_, nullptr);
  count_ = 0;
  for (const void* p : old)
    if (p) place(p);
}

std::string Tree::joined(std::string_view path, std::string_view name) {
  std::string out(path);
  if (!out.empty()) out += '.';
  return out += name;
}

void Tree::go(Module& m, const Visit& visit) {
  if (options_.remove_duplicate && !seen_.insert(&m)) return;
  visit.call(visit.f, m, path_);
  if (!options_.recurse) return;
  struct Below final : Walker {
    Tree& tree;
    const Visit& visit;
    Below(Tree& t, const Visit& v) : tree(t), visit(v) {}
    void child(const ChildSlot& s) override {
      if (!s.module) return;
      const std::size_t length = tree.path_.size();
      if (tree.with_paths_) {
        if (length) tree.path_ += '.';
        tree.path_ += s.name;
      }
      tree.go(*s.module, visit);
      tree.path_.resize(length);
    }
  } below(*this, visit);
  if (options_.remove_duplicate) {
    m.walk(below);
  } else {
    const Descent guard(m, "named_modules");
    m.walk(below);
  }
}

std::vector<NamedModule> children_of(Module& module, bool distinct) {
  struct List final : Walker {
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
  module.walk(list);
  return std::move(list.found);
}

}  // namespace taper::nn
