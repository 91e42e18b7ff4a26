// The children of a container, which are registered by name.
#pragma once
#include "nn/module/extra.h"
#include "taper/nn/container.h"

namespace taper::nn {

/// for (const std::shared_ptr<Module>& child : Children(row)), None included.
class Children {
 public:
  explicit Children(const ModuleRow& row) {
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

 private:
  Entry begin_ = nullptr, end_ = nullptr;
};

}  // namespace taper::nn
