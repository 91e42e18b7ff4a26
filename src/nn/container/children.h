// The children of a container, which are registered by name.
#pragma once
#include "nn/module/extra.h"
#include "taper/nn/container.h"

namespace taper::nn {

/// for (const std::shared_ptr<Module>& child : Children(row)), None included.
class Children {
 public:
  explicit Children(const Module& row) {
    if (const auto* extra = ModuleAccess::extra(row))
      begin_ = extra->entries.data(), end_ = begin_ + extra->entries.size();
  }
  using Entry = const std::unique_ptr<NamedEntry>*;
  struct Iterator {
    Entry at, end;
    void skip() {
      while (at != end && (*at)->kind != NamedEntry::Kind::child) ++at;
    }
    const std::shared_ptr<Module>& operator*() const { return (*at)->child; }
    NamedEntry& entry() const { return **at; }
    Iterator& operator++() {
      ++at;
      skip();
      return *this;
    }
    bool operator!=(const Iterator& o) const { return at != o.at; }
  };
  Iterator begin() const {
    Iterator i{begin_, end_};
    i.skip();
    return i;
  }
  Iterator end() const { return {end_, end_}; }

  /// The entries themselves, in order.
  std::vector<NamedEntry*> entries() const {
    std::vector<NamedEntry*> all;
    for (Iterator i = begin(); i != end(); ++i) all.push_back(&i.entry());
    return all;
  }

 private:
  Entry begin_ = nullptr, end_ = nullptr;
};

/// The position of index i, which may count from the back. Throws IndexError.
std::size_t position_of(std::int64_t i, std::size_t size);
/// The positions that Python's slice takes of so many items.
std::vector<std::size_t> positions_of(const Slice& slice, std::size_t size);

/// A key that is not there, as Python says it: in quotes.
[[noreturn]] void throw_no_key(std::string_view key);

}  // namespace taper::nn
