// Modules by name.
#pragma once
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/container.h"

namespace TAPER_API taper {
namespace nn {

/// Holds modules by name, in the order of insertion; has no forward. PyTorch: torch.nn.ModuleDict.
///
///   nn::ModuleDict heads({{"digits", nn::Linear(64, 10)}, {"letters", nn::Linear(64, 26)}});
///   Tensor y = heads["digits"](x);
class ModuleDict : public Module {
 public:
  ModuleDict(std::initializer_list<NamedChild> modules) { add_all(modules); }
  explicit ModuleDict(const std::vector<NamedChild>& modules) { add_all(modules); }
  TAPER_LAYER(ModuleDict)

  /// The module of a name. Throws KeyError, and TypeError for None.
  Module& operator[](std::string_view name) const;
  /// The same for sharing it; null for None.
  std::shared_ptr<Module> shared(std::string_view name) const;
  bool contains(std::string_view name) const;
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  /// Adds a module, or replaces one in its place. The name is checked as in register_module:
  /// KeyError. PyTorch: `d[name] = module`.
  template <class M> void set(std::string_view name, M&& module) {
    register_module(name, detail::shared_module(std::forward<M>(module)));
  }
  void update(std::initializer_list<NamedChild> modules) { add_all(modules); }
  void update(const std::vector<NamedChild>& modules) { add_all(modules); }
  void update(const ModuleDict& other) { add_all(other.items()); }
  /// The same of modules and names known at run time only: a dict, or a list of pairs. Throws
  /// TypeError and ValueError with PyTorch's texts.
  void update(const Value& modules);

  /// Takes a module out. Throws KeyError. PyTorch: `del d[name]`.
  void erase(std::string_view name);
  /// Takes a module out and gives it. Throws KeyError.
  std::shared_ptr<Module> pop(std::string_view name);
  void clear();

  std::vector<std::string> keys() const;
  std::vector<NamedChild> items() const;
  std::vector<std::shared_ptr<Module>> values() const;

 private:
  template <class Named> void add_all(const Named& modules) {
    for (const NamedChild& m : modules) register_module(m.name, m.module);
  }
};

}  // namespace nn
}  // namespace taper
