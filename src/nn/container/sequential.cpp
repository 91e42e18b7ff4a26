#include "taper/nn/sequential.h"

#include "nn/container/children.h"
#include "taper/core/error.h"

namespace taper::nn {

TAPER_DETAIL_LAYER_CLASS(Sequential) {}

Sequential::Sequential(std::initializer_list<NamedChild> children) {
  for (const NamedChild& c : children) register_module(c.name, c.module);
}

Tensor Sequential::forward(const Tensor& input) {
  Tensor x = input;
  for (const auto& child : Children(*this)) {
    if (!child) throw TypeError("Sequential: a child is None and cannot be called");
    x = child->call_tensor(x);
  }
  return x;
}

Tensor Sequential::call_tensor(const Tensor& input) { return detail::call_typed(*this, input); }

Value Sequential::forward_values(Values& args) {
  if (args.size() != 1) detail::throw_argument_count(*this, args.size(), 1, 1);
  Value x = args[0];
  for (const auto& child : Children(*this)) {
    if (!child) throw TypeError("Sequential: a child is None and cannot be called");
    x = child->call({x});
  }
  return x;
}

}  // namespace taper::nn
