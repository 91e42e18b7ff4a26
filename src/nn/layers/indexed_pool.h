// Calls of pooling layers that optionally return indices.
#pragma once
#include "core/check.h"
#include "taper/nn/functional/pooling.h"
#include "taper/nn/module.h"

namespace taper::nn {

template <class L> Value call_pool(const L& layer, const Values& args) {
  if (args.size() != 1) detail::throw_argument_count(layer, args.size(), 1, 1);
  if (!layer.return_indices) return layer.forward(args[0].as_tensor());
  return detail::to_value(layer.forward_with_indices(args[0].as_tensor()));
}

inline void reject_indices(const Module& layer, bool return_indices) {
  if (return_indices)
    fail<TypeError>("{}: return_indices returns two tensors: use forward_with_indices, or call",
                    layer.type_name());
}

}  // namespace taper::nn

// Defines the calls of a layer by a function and its arguments after the input.
#define TAPER_INDEXED_POOL(Name, function, ...)                                      \
  Tensor Name::call_tensor(const Tensor& x) { return detail::call_typed(*this, x); } \
  Value Name::forward_values(Values& args) { return call_pool(*this, args); }        \
  Tensor Name::forward(const Tensor& input) const {                                  \
    reject_indices(*this, return_indices);                                           \
    return functional::function(called(input), __VA_ARGS__);                         \
  }                                                                                  \
  std::pair<Tensor, Tensor> Name::forward_with_indices(const Tensor& input) const {  \
    return functional::function##_with_indices(input, __VA_ARGS__);                  \
  }
