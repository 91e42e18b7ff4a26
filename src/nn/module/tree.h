// Descending into a module and all below it.
#pragma once
#include <string>
#include <vector>

#include "nn/module/extra.h"

namespace taper::nn {

/// Which objects were met. The first thousand cost no allocation, the first hundred next to
/// nothing.
class IdentitySet {
 public:
  IdentitySet() = default;
  IdentitySet(const IdentitySet&) = delete;
  IdentitySet& operator=(const IdentitySet&) = delete;
  /// False if it was there already.
  bool insert(const void* p);

 private:
  void grow();
  bool place(const void* p);
  static constexpr std::size_t kFew = 256, kMany = 2048;
  const void* few_[kFew] = {};
  const void* many_[kMany];  // set to null when it comes into use
  std::vector<const void*> heap_;
  const void** slots_ = few_;
  std::size_t capacity_ = kFew, count_ = 0;
};

/// A path that grows and shrinks at its end. No allocation up to a few hundred letters.
class PathText {
 public:
  explicit PathText(std::string_view start) { append(start); }
  PathText(const PathText&) = delete;
  PathText& operator=(const PathText&) = delete;
  std::size_t size() const { return size_; }
  void cut(std::size_t size) { size_ = size; }
  /// '.' unless the path is empty, then `name`.
  void join(std::string_view name) {
    if (size_) append(".");
    append(name);
  }
  operator std::string_view() const { return {heap_.empty() ? inline_ : heap_.data(), size_}; }

 private:
  void append(std::string_view text);
  char inline_[256];
  std::string heap_;
  std::size_t size_ = 0;
};

/// Pre-order descent, the order of every iterator: `visit(module, path)` for the root first, then
/// for the children in order. Paths are built only if wanted.
class Tree {
 public:
  Tree(const NamedOptions& options, bool with_paths)
      : options_(options), with_paths_(with_paths), path_(options.prefix) {}

  template <class F> void descend(Module& root, F&& visit) {
    if (options_.memo)
      for (const Module* m : *options_.memo) seen_.insert(m);
    go(root, {&visit, [](void* f, Module& m, std::string_view path) {
                (*static_cast<std::remove_reference_t<F>*>(f))(m, path);
              }});
  }
  /// The path of the module that is visited, for names below it; to be left as it is found.
  PathText& path() { return path_; }
  /// path + '.' + name.
  static std::string joined(std::string_view path, std::string_view name);

 private:
  struct Visit {
    void* f;
    void (*call)(void*, Module&, std::string_view);
  };
  void go(Module& m, const Visit& visit);
  bool first_time(Module& m);

  const NamedOptions& options_;
  bool with_paths_;
  PathText path_;
  IdentitySet seen_;
};

}  // namespace taper::nn
