// Iterators of Module.
#include "nn/module/tree.h"

namespace taper::nn {
namespace {

/// Visits the module's own tensors of one kind, except None.
template <class T, class F> struct LocalTensorVisitor final : MemberVisitor {
  F& f;
  explicit LocalTensorVisitor(F& g) : f(g) {}
  void parameter(const ParameterSlot& s) override {
    if constexpr (std::is_same_v<T, Parameter>)
      if (s.value) f(s.name, *s.value);
  }
  void buffer(const BufferSlot& s) override {
    if constexpr (std::is_same_v<T, Buffer>)
      if (s.value) f(s.name, *s.value);
  }
};

/// Calls f(name, tensor) for all tensors below `root`. If `with_paths` is true, names include the
/// path.
template <class T, class F>
void visit_tensors(const Module& root, const NamedOptions& options, bool with_paths, F&& f) {
  IdentitySet seen;
  ModuleTraversal tree(options, with_paths);
  tree.descend(detail::mutable_of(root), [&](Module& m, std::string_view) {
    auto own = [&](std::string_view name, T& t) {
      if (options.remove_duplicate && !seen.insert(t.impl())) return;
      if (!with_paths) return f(name, t);
      const std::size_t length = tree.path().size();
      tree.path().append_name(name);
      f(tree.path(), t);
      tree.path().truncate(length);
    };
    LocalTensorVisitor<T, decltype(own)> visitor(own);
    ModuleAccess::accept(m, visitor);
  });
}

template <class T> std::vector<Tensor> list(const Module& root, bool recurse) {
  std::vector<Tensor> all;
  visit_tensors<T>(root, {.recurse = recurse}, false,
                   [&](std::string_view, T& t) { all.push_back(t); });
  return all;
}
template <class T> std::vector<NamedTensor> named(const Module& root, const NamedOptions& options) {
  std::vector<NamedTensor> all;
  visit_tensors<T>(root, options, true, [&](std::string_view name, T& t) {
    all.push_back({std::string(name), t});
  });
  return all;
}

template <class Entry>
std::vector<Entry> named_modules_of(const Module& root, const NamedOptions& options) {
  std::vector<Entry> all;
  ModuleTraversal(options, true)
      .descend(detail::mutable_of(root), [&](Module& m, std::string_view path) {
        all.push_back({std::string(path), &m});
      });
  return all;
}
template <class M> std::vector<M*> modules_of(const Module& root, bool remove_duplicate) {
  std::vector<M*> all;
  const NamedOptions options{.remove_duplicate = remove_duplicate};
  ModuleTraversal(options, false)
      .descend(detail::mutable_of(root), [&](Module& m, std::string_view) { all.push_back(&m); });
  return all;
}

}  // namespace

std::vector<Tensor> Module::parameters(bool recurse) const {
  return list<Parameter>(*this, recurse);
}
std::vector<Tensor> Module::buffers(bool recurse) const { return list<Buffer>(*this, recurse); }
std::vector<NamedTensor> Module::named_parameters(const NamedOptions& options) const {
  return named<Parameter>(*this, options);
}
std::vector<NamedTensor> Module::named_buffers(const NamedOptions& options) const {
  return named<Buffer>(*this, options);
}

std::vector<NamedModule> Module::named_children() { return children_of(*this, true); }
std::vector<ConstNamedModule> Module::named_children() const {
  std::vector<ConstNamedModule> all;
  for (NamedModule& c : children_of(detail::mutable_of(*this), true))
    all.push_back({std::move(c.name), c.module});
  return all;
}
std::vector<Module*> Module::children() {
  std::vector<Module*> all;
  for_each_child([&](Module& m) { all.push_back(&m); });
  return all;
}
std::vector<const Module*> Module::children() const {
  std::vector<const Module*> all;
  for_each_child([&](const Module& m) { all.push_back(&m); });
  return all;
}

std::vector<NamedModule> Module::named_modules(const NamedOptions& options) {
  return named_modules_of<NamedModule>(*this, options);
}
std::vector<ConstNamedModule> Module::named_modules(const NamedOptions& options) const {
  return named_modules_of<ConstNamedModule>(*this, options);
}
std::vector<Module*> Module::modules(bool remove_duplicate) {
  return modules_of<Module>(*this, remove_duplicate);
}
std::vector<const Module*> Module::modules(bool remove_duplicate) const {
  return modules_of<const Module>(*this, remove_duplicate);
}

void Module::visit_parameters(Callback<Parameter> f, const NamedOptions& options) const {
  visit_tensors<Parameter>(*this, options, f.named, f);
}
void Module::visit_buffers(Callback<Buffer> f, const NamedOptions& options) const {
  visit_tensors<Buffer>(*this, options, f.named, f);
}
void Module::visit_modules(Callback<Module> f, const NamedOptions& options) const {
  ModuleTraversal(options, f.named)
      .descend(detail::mutable_of(*this), [&](Module& m, std::string_view path) { f(path, m); });
}
void Module::visit_children(Callback<Module> f) const {
  struct Distinct final : MemberVisitor {
    const Callback<Module>& f;
    IdentitySet seen;
    explicit Distinct(const Callback<Module>& g) : f(g) {}
    void child(const ChildSlot& s) override {
      if (s.module && seen.insert(s.module)) f(s.name, *s.module);
    }
  } distinct(f);
  detail::mutable_of(*this).accept(distinct);
}

}  // namespace taper::nn
