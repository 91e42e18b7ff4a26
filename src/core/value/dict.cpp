#include "taper/core/dict.h"

#include <bit>

#include "core/check.h"
#include "core/open_hash.h"
#include "core/value/payload.h"

namespace taper {
namespace {

constexpr std::size_t kMaxLinearSearch = 8;  // up to this many entries, lookup is a linear search
constexpr std::size_t kNotFound = static_cast<std::size_t>(-1);

bool keys_equal(const Value& stored, const Value& key) { return stored == key; }
bool keys_equal(const Value& stored, std::string_view key) {
  return stored.is_string() && stored.as_string() == key;
}
std::size_t hash_of(const Value& key) { return key.hash(); }
std::size_t hash_of(std::string_view key) { return value::hash_string(key); }
std::size_t free_slot(const std::vector<std::uint32_t>& slots, std::uint32_t hash) {
  return open_hash::probe(hash, slots.size(), [&](std::size_t slot) { return !slots[slot]; });
}

}  // namespace

void* Dict::operator new(std::size_t bytes) { return pool_allocate(bytes); }
void Dict::operator delete(void* p, std::size_t bytes) { pool_release(p, bytes); }

template <class Key> std::size_t Dict::locate(const Key& key, std::size_t hash) const {
  if (slots_.empty()) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (keys_equal(entries_[i].first, key)) return i;
    return kNotFound;
  }
  const std::uint32_t wanted = open_hash::mix(hash);
  const std::size_t at = open_hash::probe(wanted, slots_.size(), [&](std::size_t slot) {
    if (!slots_[slot]) return true;
    const std::size_t i = slots_[slot] - 1;
    return hashes_[i] == wanted && keys_equal(entries_[i].first, key);
  });
  return slots_[at] ? slots_[at] - 1 : kNotFound;
}

void Dict::rebuild(std::size_t slots) {
  slots_.assign(slots, 0);
  for (std::size_t i = 0; i < hashes_.size(); ++i)
    slots_[free_slot(slots_, hashes_[i])] = static_cast<std::uint32_t>(i + 1);
}

void Dict::index_all(std::size_t slots) {
  hashes_.clear();
  for (const Entry& e : entries_) hashes_.push_back(open_hash::mix(e.first.hash()));
  rebuild(slots);
}

void Dict::index_last(std::size_t hash) {
  if (slots_.empty()) {
    if (entries_.size() > kMaxLinearSearch) index_all(4 * kMaxLinearSearch);
    return;
  }
  hashes_.push_back(open_hash::mix(hash));
  if (2 * entries_.size() > slots_.size()) return rebuild(4 * slots_.size());
  slots_[free_slot(slots_, hashes_.back())] = static_cast<std::uint32_t>(entries_.size());
}

const Value* Dict::find(const Value& key) const {
  const std::size_t i = locate(key, hash_of(key));
  return i == kNotFound ? nullptr : &entries_[i].second;
}
const Value* Dict::find_string(std::string_view key) const {
  const std::size_t i = locate(key, hash_of(key));
  return i == kNotFound ? nullptr : &entries_[i].second;
}
void value::throw_missing_key(const Dict& dict, const Value& key) {
  constexpr std::size_t kMaxKeys = 8;
  if (dict.empty()) fail<KeyError>("{} is not a key of the dict, which is empty", key.repr());
  std::string keys;
  std::size_t count = 0;
  for (const auto& [existing, value] : dict) {
    if (count == kMaxKeys) break;
    keys += (count++ ? ", " : "") + existing.repr();
  }
  if (dict.size() > count) keys += ", ... (" + std::to_string(dict.size()) + " keys)";
  fail<KeyError>("{} is not a key of the dict, which has {}", key.repr(), keys);
}

const Value& Dict::at(const Value& key) const {
  if (const Value* found = find(key)) return *found;
  value::throw_missing_key(*this, key);
}

void Dict::set(Value key, Value value) {
  const std::size_t hash = key.hash(), i = locate(key, hash);
  value.kind();
  if (i != kNotFound) {
    entries_[i].second = std::move(value);
    return;
  }
  entries_.emplace_back(std::move(key), std::move(value));
  index_last(hash);
}

bool Dict::erase(const Value& key) {
  const std::size_t i = locate(key, key.hash());
  if (i == kNotFound) return false;
  const auto at = static_cast<std::ptrdiff_t>(i);
  entries_.erase(entries_.begin() + at);
  if (!slots_.empty()) {
    hashes_.erase(hashes_.begin() + at);
    rebuild(slots_.size());
  }
  return true;
}

void Dict::clear() {
  entries_.clear();
  slots_.clear();
  hashes_.clear();
}

void Dict::reserve(std::size_t count) {
  entries_.reserve(count);
  if (count <= kMaxLinearSearch || 2 * count <= slots_.size()) return;
  hashes_.reserve(count);
  index_all(std::bit_ceil(2 * count));
}

Value Dict::copy() const {
  Value result = Value::dict();
  Dict& d = result.as_dict();
  d.entries_ = entries_, d.slots_ = slots_, d.hashes_ = hashes_;
  d.class_name_ = class_name_;
  if (!attributes_.is_none()) d.attributes_ = attributes_.as_dict().copy();
  return result;
}

const Value* Dict::attribute(std::string_view name) const {
  return attributes_.is_none() ? nullptr : attributes_.as_dict().find(name);
}
void Dict::set_attribute(std::string_view name, Value value) {
  if (attributes_.is_none()) attributes_ = Value::dict();
  attributes_.as_dict().set(name, std::move(value));
}

}  // namespace taper
