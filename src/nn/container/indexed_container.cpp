#include <algorithm>

#include "core/check.h"
#include "nn/container/children.h"
#include "nn/module/registration.h"
#include "taper/nn/container.h"

namespace taper::nn {
namespace {

DynamicEntry& entry_at(const IndexedContainer& container, std::int64_t i) {
  const std::vector<DynamicEntry*> all = Children(container).entries();
  return *all[position_of(i, all.size())];
}

/// Removes children and renumbers the remaining ones.
void erase_entries(IndexedContainer& container, const std::vector<DynamicEntry*>& gone) {
  auto* extra = ModuleAccess::extra(container);
  if (!extra) return;
  std::erase_if(extra->entries, [&](const auto& e) {
    return std::find(gone.begin(), gone.end(), e.get()) != gone.end();
  });
  std::size_t number = 0;
  for (DynamicEntry* e : Children(container).entries()) e->name = std::to_string(number++);
}

}  // namespace

std::size_t position_of(std::int64_t i, std::size_t size) {
  const auto at = wrap_index(i, static_cast<std::int64_t>(size));
  if (!at) fail<IndexError>("index {} is out of range", i);
  return static_cast<std::size_t>(*at);
}

std::vector<std::size_t> positions_of(const Slice& slice, std::size_t size) {
  if (slice.step == 0) fail<ValueError>("slice step cannot be zero");
  const auto n = static_cast<std::int64_t>(size);
  const bool back = slice.step < 0;
  // Bounds are clipped as in Python: with a negative step, -1 represents "before the first".
  const auto clipped = [&](std::int64_t i) {
    if (i < 0) i += n;
    return std::clamp<std::int64_t>(i, back ? -1 : 0, back ? n - 1 : n);
  };
  const std::int64_t first = slice.start ? clipped(*slice.start) : back ? n - 1 : 0;
  const std::int64_t last = slice.stop ? clipped(*slice.stop) : back ? -1 : n;
  std::vector<std::size_t> all;
  for (std::int64_t i = first; back ? i > last : i < last;) {
    all.push_back(static_cast<std::size_t>(i));
    if (__builtin_add_overflow(i, slice.step, &i)) break;
  }
  return all;
}

void throw_no_key(std::string_view key) { fail<KeyError>("{}", Value(key).repr()); }

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
  std::vector<DynamicEntry*> gone;
  for (std::size_t i : positions_of(slice, all.size())) gone.push_back(all[i]);
  erase_entries(*this, gone);
}
std::shared_ptr<Module> IndexedContainer::pop(std::int64_t i) {
  std::shared_ptr<Module> taken = shared(i);
  erase(i);
  return taken;
}

void IndexedContainer::set_shared(std::int64_t i, std::shared_ptr<Module> module) {
  put_child(*this, entry_at(*this, i).name, std::move(module));
}
void IndexedContainer::append_shared(std::shared_ptr<Module> module) {
  register_module(std::to_string(size()), std::move(module));
}

void IndexedContainer::insert_shared(std::int64_t i, std::shared_ptr<Module> module) {
  const std::vector<DynamicEntry*> all = Children(*this).entries();
  const auto named = [&](std::int64_t number) -> DynamicEntry* {
    const std::string name = std::to_string(number);
    for (DynamicEntry* e : all)
      if (e->name == name) return e;
    return nullptr;
  };
  const auto n = static_cast<std::int64_t>(all.size());
  std::vector<DynamicEntry*> moved;  // entries whose module moves to the next index
  for (std::int64_t from = n - 1; from >= i; --from) {
    moved.push_back(named(from));
    if (!moved.back()) throw_no_key(std::to_string(from));
  }
  // An existing name is overwritten, as by `container._modules[name] = module`.
  const auto place = [&](std::int64_t number) -> std::shared_ptr<Module>& {
    if (DynamicEntry* e = named(number)) return e->child;
    return append_entry(*this, DynamicEntry::Kind::child, std::to_string(number)).child;
  };
  std::int64_t to = n;
  for (DynamicEntry* from : moved) place(to--) = from->child;
  place(i) = std::move(module);
}

std::vector<NamedChild> IndexedContainer::children_in(const Slice& slice) const {
  const std::vector<DynamicEntry*> all = Children(*this).entries();
  std::vector<NamedChild> picked;
  for (std::size_t i : positions_of(slice, all.size()))
    picked.emplace_back(all[i]->name, all[i]->child);
  return picked;
}

}  // namespace taper::nn
