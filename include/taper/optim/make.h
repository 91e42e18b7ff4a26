// make: construction of optimizers by class name.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Creates the optimizer of class `name` ("AdamW"). `options` is a dict with PyTorch's option
/// names, or None; options that it does not contain have their defaults.
///
///   auto opt = optim::make("AdamW", net.parameters(), Value::dict({{"lr", 3e-4}}));
///
/// Throws AttributeError, with a list of the classes, for an unknown class; TypeError for an
/// unknown option or an option of the wrong type; ValueError for a sequence of the wrong length;
/// and the errors of the constructor. PyTorch: getattr(torch.optim, name)(params, **options).
std::unique_ptr<Optimizer> make(std::string_view name, Params params, const Value& options = {});

/// Returns the class names that `make` accepts, in alphabetical order.
std::vector<std::string_view> optimizer_names();

}  // namespace optim
}  // namespace taper
