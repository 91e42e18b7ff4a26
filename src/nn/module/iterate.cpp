// The iterators of Module.
#include "nn/module/tree.h"

namespace taper::nn {
namespace {

/// Own tensors of one kind, None left out.
template <class T, class F> struct Own final : Walker {
  F& f;
  explicit Own(F& g) : f(g) {}
  void parameter(const ParameterSlot& s) override {
    if constexpr (std::is_same_v<T, Parameter>)
      if (s.value) f(s.name, *s.value);
  }
  void buffer(const BufferSlot& s) override {
    if constexpr (std::is_same_v<T, Buffer>)
      if (s.value) f(s.name, *s.value);
  }
};

/// f(path of the module, name, tensor) for all below `root`.
template <class T, class F>
void each_tensor(Module& root, const NamedOptions& options, bool with_paths, F&& f) {
  IdentitySet seen;
  Tree(options, with_paths).descend(root, [&](Module& m, std::string_view path) {
    auto own = [&](std::string_view name, T& t) {
      if (!options.remove_duplicate || seen.insert(t.impl())) f(path, name, t);
    };
    Own<T, decltype(own)> walker(own);
    m.walk(walker);
  });
}

template <class T> std::vector<Tensor> list(Module& root, bool recurse) {
  std::vector<Tensor> all;
  each_tensor<T>(root, {.recurse = recurse}, false,
                 [&](std::string_view, std::string_view, T& t) { all.push_back(t); });
  return all;
}
template <class T> std::vector<NamedTensor> named(Module& root, const NamedOptions& options) {
  std::vector<NamedTensor> all;
  each_tensor<T>(root, options, true, [&](std::string_view path, std::string_view name, T& t) {
    all.push_back({Tree::joined(path, name), t});
  });
  return all;
}

}  // namespace

std::vector<Tensor> Module::parameters(bool recurse) { return list<Parameter>(*this, recurse); }
std::vector<Tensor> Module::buffers(bool recurse) { return list<Buffer>(*this, recurse); }
std::vector<NamedTensor> Module::named_parameters(const NamedOptions& options) {
  return named<Parameter>(*this, options);
}
std::vector<NamedTensor> Module::named_buffers(const NamedOptions& options) {
  return named<Buffer>(*this, options);
}

std::vector<NamedModule> Module::named_children() { return children_of(*this, true); }
std::vector<Module*> Module::children() {
  std::vector<Module*> all;
  for (const NamedModule& c : children_of(*this, true)) all.push_back(c.module);
  return all;
}

std::vector<NamedModule> Module::named_modules(const NamedOptions& options) {
  std::vector<NamedModule> all;
  Tree(options, true).descend(*this, [&](Module& m, std::string_view path) {
    all.push_back({std::string(path), &m});
  });
  return all;
}
std::vector<Module*> Module::modules() {
  std::vector<Module*> all;
  const NamedOptions options;
  Tree(options, false).descend(*this, [&](Module& m, std::string_view) { all.push_back(&m); });
  return all;
}

void Module::visit_parameters(Callback<Parameter> f) {
  each_tensor<Parameter>(
      *this, {}, false, [&](std::string_view, std::string_view name, Parameter& p) { f(name, p); });
}
void Module::visit_buffers(Callback<Buffer> f) {
  each_tensor<Buffer>(*this, {}, false,
                      [&](std::string_view, std::string_view name, Buffer& b) { f(name, b); });
}
void Module::visit_children(Callback<Module> f) {
  for (const NamedModule& c : children_of(*this, true)) f(c.name, *c.module);
}

}  // namespace taper::nn
