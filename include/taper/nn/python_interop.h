// Conversion between modules and pickled Python modules.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/picklable.h"
#include "taper/nn/registry.h"

namespace TAPER_API taper {
namespace nn {

/// Options of from_pickle.
struct FromPickleOptions {
  /// Receives the hooks of the modules, as "layer1.0: my_project.hooks.print_shape". If null, hooks
  /// cause a warning.
  std::vector<std::string>* hooks = nullptr;
};

/// Creates the module that Python pickled: `nn::from_pickle(taper::load("net.pt"))`. The classes
/// may be layers, losses and containers of PyTorch, and user-defined classes registered with
/// TAPER_REGISTER, regardless of their module path in Python; they are created with
/// `nn::make_from_attributes`. Parameters and buffers are the tensors of the file. Ties,
/// requires_grad, the training flag, children shared by several modules, and additional attributes
/// of the Python object are preserved. Hooks are code; they are reported and never run.
/// PyTorch: torch.load(path, weights_only=False).
///
/// Throws TypeError if `pickled` is not a pickled module. Other errors report the path of the
/// module and its class: AttributeError for an unknown class (`state_dict_of` still returns its
/// tensors), ValueError for names that are absent from the file, and the errors of the constructor.
std::shared_ptr<Module> from_pickle(const Value& pickled, const FromPickleOptions& options = {});

/// Returns the value that Python's pickler would write for a module.
/// `taper::save(nn::to_pickle(net), "net.pt")` writes a file from which torch.load("net.pt",
/// weights_only=False) restores a callable module. `save` also converts modules inside other
/// values. Layers, losses and containers are written as PyTorch's classes, with all attributes of
/// PyTorch 2.15; user-defined classes under the name given by TAPER_PYTHON_CLASS, with the options
/// of TAPER_REGISTER as attributes. Dynamic attributes are included. Hooks are omitted with a
/// warning because they are functions of this program. PyTorch: torch.save(module, path).
///
/// Throws RuntimeError with the path of the module for a class without a Python name, for an
/// uninitialized lazy module, and for modules with parametrizations or other computed members, as
/// PyTorch does.
Value to_pickle(const Module& module);

namespace detail {

/// As `to_pickle(module)`, for a file with several modules: a module that `made` contains is not
/// converted again.
Value to_pickle(const Module& module, PickledForms& made);

/// Registers the Python name of a class during the lifetime of the object.
class PythonClass {
 public:
  PythonClass(const std::type_info& type, std::string_view path);
  ~PythonClass();
  PythonClass(const PythonClass&) = delete;
  PythonClass& operator=(const PythonClass&) = delete;

 private:
  const std::type_info& type_;
};

}  // namespace detail
}  // namespace nn
}  // namespace taper

/// Specifies the Python class of a user-defined module:
/// `TAPER_PYTHON_CLASS(Net, "my_project.nets.Net")`, once, next to TAPER_REGISTER. `to_pickle`
/// writes the module under that name, and `from_pickle` creates a Net for objects of that class,
/// even if the class names differ.
#define TAPER_PYTHON_CLASS(Name, path)                                                    \
  static_assert(                                                                          \
      std::string_view(path).rfind('.') + 1 > 1 &&                                        \
          std::string_view(path).rfind('.') + 1 < std::string_view(path).size(),          \
      "TAPER_PYTHON_CLASS takes the path of a class in Python, \"my_project.nets.Net\""); \
  [[maybe_unused]] static const ::taper::nn::detail::PythonClass TAPER_DETAIL_JOIN(       \
      taper_python_class_, __LINE__)(typeid(Name), path);
