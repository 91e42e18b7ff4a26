#include "taper/nn/softmax.h"

#include "core/check.h"
#include "nn/registry/schema.h"
#include "taper/nn/functional/softmax.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Softmax)
TAPER_LAYER_MEMBERS(LogSoftmax)
TAPER_LAYER_MEMBERS(Softmin)
TAPER_LAYER_MEMBERS(Softmax2d)

std::string SoftmaxBase::extra_repr() const {
  return "dim=" + (dim ? std::to_string(*dim) : std::string("None"));
}

Tensor Softmax::forward(const Tensor& input) const {
  return functional::softmax(input, {.dim = dim});
}
Tensor LogSoftmax::forward(const Tensor& input) const {
  return functional::log_softmax(input, {.dim = dim});
}
Tensor Softmin::forward(const Tensor& input) const {
  return functional::softmin(input, {.dim = dim});
}
Tensor Softmax2d::forward(const Tensor& input) const {
  if (input.dim() != 3 && input.dim() != 4)
    fail<ShapeError>("Softmax2d: expected input to be a 3D or 4D tensor, got a {}D tensor instead",
                     input.dim());
  return functional::softmax(input, -3);
}

namespace {

template <class L> constexpr ModuleSchema softmax_schema(std::string_view name) {
  return layer_schema<L>(
      name, "activation", "dim=None",
      [](const Arguments& a) { return L({.dim = a.optional_integer("dim")}); },
      [](const L& m) -> Values { return {Convert<std::optional<std::int64_t>>::to(m.dim)}; });
}

}  // namespace

const ModuleSchema& module_schema(const Softmax*) {
  static constexpr ModuleSchema schema = softmax_schema<Softmax>("Softmax");
  return schema;
}
const ModuleSchema& module_schema(const LogSoftmax*) {
  static constexpr ModuleSchema schema = softmax_schema<LogSoftmax>("LogSoftmax");
  return schema;
}
const ModuleSchema& module_schema(const Softmin*) {
  static constexpr ModuleSchema schema = softmax_schema<Softmin>("Softmin");
  return schema;
}
const ModuleSchema& module_schema(const Softmax2d*) {
  static constexpr ModuleSchema schema = plain_schema<Softmax2d>("Softmax2d", "activation");
  return schema;
}

}  // namespace taper::nn
