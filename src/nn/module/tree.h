// ModuleTraversal: traversal of a module and its descendants.
#pragma once
#include <string>
#include <vector>

#include "nn/module/extra.h"

namespace taper::nn {

/// Set of addresses. Up to 1024 elements are stored without an allocation. The table for more than
/// 128 elements is initialized on first use, since most sets are smaller.
class IdentitySet {
 public:
  IdentitySet() = default;
  IdentitySet(const IdentitySet&) = delete;
  IdentitySet& operator=(const IdentitySet&) = delete;
  /// Inserts an address. Returns false if it was present.
  bool insert(const void* p);

 private:
  void grow();
  bool insert_slot(const void* p);
  static constexpr std::size_t kSmallCapacity = 256, kLargeCapacity = 2048;
  const void* small_slots_[kSmallCapacity] = {};
  const void* large_slots_[kLargeCapacity];  // initialized with null on first use
  std::vector<const void*> heap_;
  const void** slots_ = small_slots_;
  std::size_t capacity_ = kSmallCapacity, count_ = 0;
};

/// A path that grows and shrinks at its end. Paths of up to 256 characters are stored without an
/// allocation.
class PathBuffer {
 public:
  explicit PathBuffer(std::string_view start) { append_name(start); }
  PathBuffer(const PathBuffer&) = delete;
  PathBuffer& operator=(const PathBuffer&) = delete;
  std::size_t size() const { return size_; }
  void truncate(std::size_t size) { size_ = size; }
  /// Appends '.' unless the path is empty, then `name`.
  void append_name(std::string_view name);
  operator std::string_view() const { return {heap_.empty() ? inline_ : heap_.data(), size_}; }

 private:
  char inline_[256];
  std::string heap_;
  std::size_t size_ = 0;
};

/// Pre-order traversal, the order of all iterators: calls `visit(module, path)` for the root, then
/// for its descendants. Paths are built only if requested.
class ModuleTraversal {
 public:
  ModuleTraversal(const NamedOptions& options, bool with_paths)
      : options_(options), with_paths_(with_paths), path_(options.prefix) {}

  template <class F> void descend(Module& root, F&& visit) {
    if (options_.memo)
      for (const Module* m : *options_.memo) seen_.insert(m);
    visit_subtree(root, {&visit, [](void* f, Module& m, std::string_view path) {
                           (*static_cast<std::remove_reference_t<F>*>(f))(m, path);
                         }});
  }
  /// The path of the visited module. Callers may append names and must restore it.
  PathBuffer& path() { return path_; }
  /// Returns path + '.' + name.
  static std::string join_path(std::string_view path, std::string_view name);

 private:
  struct Visit {
    void* f;
    void (*call)(void*, Module&, std::string_view);
  };
  void visit_subtree(Module& m, const Visit& visit);
  bool mark_visited(Module& m);

  const NamedOptions& options_;
  bool with_paths_;
  PathBuffer path_;
  IdentitySet seen_;
};

}  // namespace taper::nn
