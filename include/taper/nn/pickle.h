// Whole modules as Python pickles them, both ways.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/picklable.h"
#include "taper/nn/make.h"

namespace TAPER_API taper {
namespace nn {

struct ModuleFromOptions {
  /// Told which hooks the modules have, as "layer1.0: my_project.hooks.print_shape", instead of a
  /// warning.
  std::vector<std::string>* hooks = nullptr;
};

/// Makes the module that Python pickled: `nn::module_from(taper::load("net.pt"))`. Layers, losses
/// and containers of PyTorch are known, and classes of users that TAPER_REGISTER names, whatever
/// their module in Python; they are made by `nn::make_from_attributes`. Parameters and buffers are
/// the tensors of the file: tied ones stay tied, requires_grad stays. So do the training flag,
/// children that several modules share, and attributes of its own that Python's object was given.
/// Hooks are code: they are reported and never run. PyTorch: torch.load(path, weights_only=False).
///
/// Throws TypeError for a value that is no pickled module. Errors inside of one name where it is
/// and its class: AttributeError for a class that is not known (`state_dict_of` still has its
/// tensors), ValueError for names that the file lacks, and what the constructor throws.
std::shared_ptr<Module> module_from(const Value& pickled, const ModuleFromOptions& options = {});

/// What Python's pickler would write of a module, so that `taper::save(nn::pickled(net), "net.pt")`
/// makes a file whose module runs in Python after torch.load("net.pt", weights_only=False). `save`
/// does the same for modules inside of values. Layers, losses and containers are written as
/// PyTorch's classes, with all attributes that PyTorch 2.15 gives them; a class of a user under its
/// name in Python (TAPER_PYTHON_CLASS), with the options that TAPER_REGISTER names as attributes.
/// Attributes set by name are kept. Hooks are functions of this program: they are left out, with a
/// warning. PyTorch: torch.save(module, path).
///
/// Throws RuntimeError, saying where, for a class without a name in Python, for a lazy module
/// before its first call, and for modules with parametrizations or other computed members, as
/// PyTorch does.
Value pickled(const Module& module);

namespace detail {

/// The same while a file is written that holds several.
Value pickled(const Module& module, PickledForms& made);

/// Keeps the name of a class in Python as long as it lives.
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

/// Says which class of Python a module of a user is: `TAPER_PYTHON_CLASS(Net,
/// "my_project.nets.Net")` once, beside TAPER_REGISTER. `pickled` writes the module under that
/// name, and `module_from` takes objects of that class for it, even if the two names differ.
#define TAPER_PYTHON_CLASS(Name, path)                                                    \
  static_assert(                                                                          \
      std::string_view(path).rfind('.') + 1 > 1 &&                                        \
          std::string_view(path).rfind('.') + 1 < std::string_view(path).size(),          \
      "TAPER_PYTHON_CLASS takes the path of a class in Python, \"my_project.nets.Net\""); \
  [[maybe_unused]] static const ::taper::nn::detail::PythonClass TAPER_DETAIL_JOIN(       \
      taper_python_class_, __LINE__)(typeid(Name), path);
