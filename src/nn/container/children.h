// Access to the children of a container, which are registered by name.
#pragma once
#include "nn/module/extra.h"
#include "taper/nn/container.h"

namespace taper::nn {

/// Range of all children, including None: for (const std::shared_ptr<Module>& child :
/// Children(container)).
class Children {
 public:
  explicit Children(const Module& module) {
    if (const auto* extra = ModuleAccess::extra(module))
      begin_ = extra->entries.data(), end_ = begin_ + extra->entries.size();
  }
  using Entry = const std::unique_ptr<DynamicEntry>*;
  struct Iterator {
    Entry at, end;
    void skip_non_children() {
      while (at != end && (*at)->kind != DynamicEntry::Kind::child) ++at;
    }
    const std::shared_ptr<Module>& operator*() const { return (*at)->child; }
    DynamicEntry& entry() const { return **at; }
    Iterator& operator++() {
      ++at;
      skip_non_children();
      return *this;
    }
    bool operator!=(const Iterator& o) const { return at != o.at; }
  };
  Iterator begin() const {
    Iterator i{begin_, end_};
    i.skip_non_children();
    return i;
  }
  Iterator end() const { return {end_, end_}; }

  /// Returns the entries of all children in order.
  std::vector<DynamicEntry*> entries() const {
    std::vector<DynamicEntry*> all;
    for (Iterator i = begin(); i != end(); ++i) all.push_back(&i.entry());
    return all;
  }

 private:
  Entry begin_ = nullptr, end_ = nullptr;
};

/// Returns the position of index i in a container of `size` items. Negative indices count from the
/// end. Throws IndexError if i is out of range.
std::size_t resolve_index(std::int64_t i, std::size_t size);
/// Returns the positions that a Python slice selects from `size` items. Throws ValueError if the
/// step is 0.
std::vector<std::size_t> resolve_slice(const Slice& slice, std::size_t size);

/// Throws KeyError with the key in quotes, as in Python.
[[noreturn]] void throw_key_error(std::string_view key);

}  // namespace taper::nn
