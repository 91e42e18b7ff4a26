#include <algorithm>

#include "core/check.h"
#include "nn/container/children.h"
#include "nn/module/registration.h"
#include "taper/nn/container.h"

namespace taper::nn {
namespace {

DynamicEntry& entry_at(const IndexedContainer& container, std::int64_t i) {
  const std::vector<DynamicEntry*> all = Children(container).entries();
  return *all[resolve_index(i, all.size())];
}

/// Removes children and renumbers the remaining ones.
void erase_entries(IndexedContainer& container, const std::vector<DynamicEntry*>& erased) {
  auto* extra = ModuleAccess::extra(container);
  if (!extra) return;
  std::erase_if(extra->entries, [&](const auto& e) {
    return std::find(erased.begin(), erased.end(), e.get()) != erased.end();
  });
  std::size_t number = 0;
  for (DynamicEntry* e : Children(container).entries()) e->name = std::to_string(number++);
}

}  // namespace

std::size_t resolve_index(std::int64_t i, std::size_t size) {
  const auto at = wrap_index(i, static_cast<std::int64_t>(size));
  if (!at) fail<IndexError>("index {} is out of range", i);
  return static_cast<std::size_t>(*at);
}

std::vector<std::size_t> resolve_slice(const Slice& slice, std::size_t size) {
  if (slice.step == 0) fail<ValueError>("slice step cannot be zero");
  const auto n = static_cast<std::int64_t>(size);
  const bool backward = slice.step < 0;
  // Bounds are clipped as in Python: with a negative step, -1 represents "before the first".
  const auto clip = [&](std::int64_t i) {
    if (i < 0) i += n;
    return std::clamp<std::int64_t>(i, backward ? -1 : 0, backward ? n - 1 : n);
  };
  const std::int64_t first = slice.start ? clip(*slice.start) : backward ? n - 1 : 0;
  const std::int64_t last = slice.stop ? clip(*slice.stop) : backward ? -1 : n;
  std::vector<std::size_t> all;
  for (std::int64_t i = first; backward ? i > last : i < last;) {
    all.push_back(static_cast<std::size_t>(i));
    if (__builtin_add_overflow(i, slice.step, &i)) break;
  }
  return all;
}

void throw_key_error(std::string_view key) { fail<KeyError>("{}", Value(key).repr()); }

std::size_t IndexedContainer::size() const {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& child : Children(*this)) ++n;
  return n;
}

Module& IndexedContainer::operator[](std::int64_t i) const {
  const std::shared_ptr<Module>& child = entry_at(*this, i).child;
  if (!child) fail<TypeError>("{}: child {} is None", type_name(), i);
  return *child;
}

std::shared_ptr<Module> IndexedContainer::shared(std::int64_t i) const {
  return entry_at(*this, i).child;
}

IndexedContainer::Iterator IndexedContainer::begin() const {
  const Children all(*this);
  return {all.begin().at, all.end().at};
}
IndexedContainer::Iterator IndexedContainer::end() const {
  const Children all(*this);
  return {all.end().at, all.end().at};
}
Module& IndexedContainer::Iterator::operator*() const {
  if (!(*at)->child) fail<TypeError>("child '{}' is None", (*at)->name);
  return *(*at)->child;
}
IndexedContainer::Iterator& IndexedContainer::Iterator::operator++() {
  Children::Iterator i{at, end};
  at = (++i).at;
  return *this;
}

void IndexedContainer::erase(std::int64_t i) { erase_entries(*this, {&entry_at(*this, i)}); }
void IndexedContainer::erase(const Slice& slice) {
  const std::vector<DynamicEntry*> all = Children(*this).entries();
  std::vector<DynamicEntry*> erased;
  for (std::size_t i : resolve_slice(slice, all.size())) erased.push_back(all[i]);
  erase_entries(*this, erased);
}
std::shared_ptr<Module> IndexedContainer::pop(std::int64_t i) {
  std::shared_ptr<Module> removed = shared(i);
  erase(i);
  return removed;
}

void IndexedContainer::set_shared(std::int64_t i, std::shared_ptr<Module> module) {
  set_or_add_child(*this, entry_at(*this, i).name, std::move(module));
}
void IndexedContainer::append_shared(std::shared_ptr<Module> module) {
  register_module(std::to_string(size()), std::move(module));
}

void IndexedContainer::insert_shared(std::int64_t i, std::shared_ptr<Module> module) {
  const std::vector<DynamicEntry*> all = Children(*this).entries();
  const auto find_entry = [&](std::int64_t number) -> DynamicEntry* {
    const std::string name = std::to_string(number);
    for (DynamicEntry* e : all)
      if (e->name == name) return e;
    return nullptr;
  };
  const auto n = static_cast<std::int64_t>(all.size());
  std::vector<DynamicEntry*> shifted_entries;  // entries whose module moves to the next index
  for (std::int64_t from = n - 1; from >= i; --from) {
    shifted_entries.push_back(find_entry(from));
    if (!shifted_entries.back()) throw_key_error(std::to_string(from));
  }
  // An existing name is overwritten, as by `container._modules[name] = module`.
  const auto child_slot = [&](std::int64_t number) -> std::shared_ptr<Module>& {
    if (DynamicEntry* e = find_entry(number)) return e->child;
    return append_entry(*this, DynamicEntry::Kind::child, std::to_string(number)).child;
  };
  std::int64_t to = n;
  for (DynamicEntry* from : shifted_entries) child_slot(to--) = from->child;
  child_slot(i) = std::move(module);
}

std::vector<NamedChild> IndexedContainer::children_in(const Slice& slice) const {
  const std::vector<DynamicEntry*> all = Children(*this).entries();
  std::vector<NamedChild> selected;
  for (std::size_t i : resolve_slice(slice, all.size()))
    selected.emplace_back(all[i]->name, all[i]->child);
  return selected;
}

}  // namespace taper::nn
