// Types as PyTorch's errors name them.
#pragma once
#include <string>

#include "taper/nn/module_base.h"

namespace taper::nn {

/// "torch.FloatTensor", "torch.meta.HalfTensor": the name of a tensor's type from before dtypes.
std::string legacy_type(const Tensor& t);
/// "torch.nn.modules.activation.ReLU"; other classes by their name alone.
std::string qualified_name(const Module& m);
/// "int", "collections.OrderedDict", "torch.FloatTensor". PyTorch: torch.typename.
std::string type_text(const Value& v);

}  // namespace taper::nn
