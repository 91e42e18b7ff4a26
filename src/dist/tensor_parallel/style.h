// StyleRules: what a style of tensor parallelism does to a module.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dist/sharding.h"
#include "dist/tensor_parallel/region.h"
#include "taper/dist/tensor_parallel.h"

namespace taper::distributed::detail {

/// Parameter of a module, and how a style divides it.
struct ParameterLayout {
  std::string name;  ///< in the module: "weight"
  Tensor parameter;
  Placement placement;
};

class StyleRules {
 public:
  virtual ~StyleRules() = default;
  /// Returns the name of the class: "ColwiseParallel".
  virtual const char* name() const = 0;
  /// Returns true if layers with this style may use one conversion of a common argument.
  virtual bool shares_argument() const { return false; }
  /// Returns the layouts of the parameters of a module. Throws NotImplementedError or ValueError
  /// that name the path if the style does not support it.
  virtual std::vector<ParameterLayout> layouts(const nn::Module& module,
                                               const std::string& path) const = 0;
  /// Registers the hooks of a module whose parameters have the layouts.
  virtual void attach(nn::Module& module, const LayoutContext& at) const = 0;
};

/// Returns the tensor that a module receives as its first argument.
Tensor single_tensor(const Values& args, const LayoutContext& at);

}  // namespace taper::distributed::detail
