// Type names in PyTorch's errors.
#pragma once
#include <string>

#include "taper/nn/module_base.h"

namespace taper::nn {

/// Returns the legacy type name of a tensor: "torch.FloatTensor", "torch.meta.HalfTensor".
std::string legacy_type(const Tensor& t);
/// Returns "torch.nn.modules.activation.ReLU", or the name alone for a class that is not PyTorch's.
std::string qualified_name(const Module& m);
/// Returns "int", "collections.OrderedDict", "torch.FloatTensor". PyTorch: torch.typename.
std::string type_text(const Value& v);

}  // namespace taper::nn
