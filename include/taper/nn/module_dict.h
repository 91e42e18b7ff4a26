// ModuleDict: a container of modules by name.
#pragma once
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/container.h"

namespace TAPER_API taper {
namespace nn {

/// Stores modules by name, in the order of insertion. It does not have a forward.
/// PyTorch: torch.nn.ModuleDict.
///
///   nn::ModuleDict heads({{"digits", nn::Linear(64, 10)}, {"letters", nn::Linear(64, 26)}});
///   Tensor y = heads["digits"](x);
class ModuleDict : public Layer<ModuleDict> {
 public:
  ModuleDict(std::initializer_list<NamedChild> modules) { add_all(modules); }
  explicit ModuleDict(const std::vector<NamedChild>& modules) { add_all(modules); }
  TAPER_LAYER(ModuleDict)

  /// Returns the module `name`. Throws KeyError if the name does not exist, TypeError if the module
  /// is None.
  Module& operator[](std::string_view name) const;
  /// Returns the module `name` as a shared pointer; null for None. Throws KeyError if the name does
  /// not exist.
  std::shared_ptr<Module> shared(std::string_view name) const;
  /// Returns true if a module `name` is stored, even if it is None.
  bool contains(std::string_view name) const;
  /// Returns the number of modules, including those that are None.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  /// Adds a module, or replaces the module of that name in place. Throws KeyError for the names
  /// that register_module rejects. PyTorch: `d[name] = module`.
  template <class M> void set(std::string_view name, M&& module) {
    register_module(name, detail::shared_module(std::forward<M>(module)));
  }
  /// Adds or replaces all given modules. Throws KeyError for the names that register_module
  /// rejects.
  void update(std::initializer_list<NamedChild> modules) { add_all(modules); }
  void update(const std::vector<NamedChild>& modules) { add_all(modules); }
  void update(const ModuleDict& other) { add_all(other.items()); }
  /// Adds or replaces modules from a dict or a list of pairs of a name and a module or None. Throws
  /// TypeError if an argument has another type, ValueError if an element does not have length 2,
  /// and KeyError for the names that register_module rejects.
  void update(const Value& modules);

  /// Removes a module. Throws KeyError if the name does not exist. PyTorch: `del d[name]`.
  void erase(std::string_view name);
  /// Removes a module and returns it. Throws KeyError if the name does not exist.
  std::shared_ptr<Module> pop(std::string_view name);
  /// Removes all modules.
  void clear();

  /// Returns the names, in the order of insertion.
  std::vector<std::string> keys() const;
  /// Returns the names and modules, in the order of insertion; null for None.
  std::vector<NamedChild> items() const;
  /// Returns the modules, in the order of insertion; null for None.
  std::vector<std::shared_ptr<Module>> values() const;

 private:
  template <class Named> void add_all(const Named& modules) {
    for (const NamedChild& m : modules) register_module(m.name, m.module);
  }
};

}  // namespace nn
}  // namespace taper
