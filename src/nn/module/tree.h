// Descending into a module and all below it.
#pragma once
#include <string>
#include <vector>

#include "nn/module/extra.h"

namespace taper::nn {

/// Which objects were met. The first hundred cost no allocation.
class IdentitySet {
 public:
  /// False if it was there already.
  bool insert(const void* p);

 private:
  void grow();
  bool place(const void* p);
  static constexpr std::size_t kInline = 256;
  const void* inline_[kInline] = {};
  std::vector<const void*> heap_;
  std::size_t capacity_ = kInline, count_ = 0;
};

/// Pre-order descent, the order of every iterator: `visit(module, path)` for the root first, then
/// for the children in order. Paths are built only if wanted.
class Tree {
 public:
  Tree(const NamedOptions& options, bool with_paths)
      : options_(options), with_paths_(with_paths), path_(options.prefix) {}

  template <class F> void descend(Module& root, F&& visit) {
    go(root, {&visit, [](void* f, Module& m, std::string_view path) {
                (*static_cast<std::remove_reference_t<F>*>(f))(m, path);
              }});
  }
  /// path + '.' + name.
  static std::string joined(std::string_view path, std::string_view name);

 private:
  struct Visit {
    void* f;
    void (*call)(void*, Module&, std::string_view);
  };
  void go(Module& m, const Visit& visit);

  const NamedOptions& options_;
  bool with_paths_;
  std::string path_;
  IdentitySet seen_;
};

}  // namespace taper::nn
