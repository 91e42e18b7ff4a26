#include "taper/nn/padding.h"

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"
#include "taper/nn/functional/pad.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(CircularPad1d)
TAPER_LAYER_MEMBERS(CircularPad2d)
TAPER_LAYER_MEMBERS(CircularPad3d)
TAPER_LAYER_MEMBERS(ConstantPad1d)
TAPER_LAYER_MEMBERS(ConstantPad2d)
TAPER_LAYER_MEMBERS(ConstantPad3d)
TAPER_LAYER_MEMBERS(ZeroPad1d)
TAPER_LAYER_MEMBERS(ZeroPad2d)
TAPER_LAYER_MEMBERS(ZeroPad3d)
TAPER_LAYER_MEMBERS(ReflectionPad1d)
TAPER_LAYER_MEMBERS(ReflectionPad2d)
TAPER_LAYER_MEMBERS(ReflectionPad3d)
TAPER_LAYER_MEMBERS(ReplicationPad1d)
TAPER_LAYER_MEMBERS(ReplicationPad2d)
TAPER_LAYER_MEMBERS(ReplicationPad3d)

PadBase::PadBase(std::size_t rank, const Shape& counts)
    : padding(counts.size() == 1 ? Shape::filled(2 * rank, counts[0]) : counts) {}

std::string PadBase::extra_repr() const { return tuple_text(padding); }

namespace {

Tensor pad_constant(const Tensor& x, const ConstantPadBase& m) {
  return functional::pad(x, m.padding, {.value = m.value});
}
std::string format_constant_pad(const ConstantPadBase& m) {
  return "padding=" + tuple_text(m.padding) + ", value=" + m.value.str();
}
Tensor pad_circular(const Tensor& x, const PadBase& m, std::int64_t rank) {
  if (x.dim() != rank + 1 && x.dim() != rank + 2)
    fail<ValueError>("expected {}D or {}D input (got {}D input)", rank + 1, rank + 2, x.dim());
  return functional::pad(x, m.padding, {.mode = "circular"});
}

template <class Pad> constexpr ModuleSchema pad_schema(std::string_view name) {
  return layer_schema<Pad>(
      name, "padding", "padding", [](const Arguments& a) { return Pad(a.sizes("padding")); },
      [](const Pad& m) -> Values { return {tuple_value(m.padding)}; });
}
template <class Pad> constexpr ModuleSchema constant_schema(std::string_view name) {
  return layer_schema<Pad>(
      name, "padding", "padding, value",
      [](const Arguments& a) { return Pad(a.sizes("padding"), a.scalar("value")); },
      [](const Pad& m) -> Values {
        return {tuple_value(m.padding), m.value};
      });
}

}  // namespace

Tensor CircularPad1d::forward(const Tensor& x) const { return pad_circular(x, *this, 1); }
Tensor CircularPad2d::forward(const Tensor& x) const { return pad_circular(x, *this, 2); }
Tensor CircularPad3d::forward(const Tensor& x) const { return pad_circular(x, *this, 3); }
Tensor ConstantPad1d::forward(const Tensor& x) const { return pad_constant(x, *this); }
std::string ConstantPad1d::extra_repr() const { return format_constant_pad(*this); }
Tensor ConstantPad2d::forward(const Tensor& x) const { return pad_constant(x, *this); }
std::string ConstantPad2d::extra_repr() const { return format_constant_pad(*this); }
Tensor ConstantPad3d::forward(const Tensor& x) const { return pad_constant(x, *this); }
std::string ConstantPad3d::extra_repr() const { return format_constant_pad(*this); }
Tensor ZeroPad1d::forward(const Tensor& x) const { return pad_constant(x, *this); }
Tensor ZeroPad2d::forward(const Tensor& x) const { return pad_constant(x, *this); }
Tensor ZeroPad3d::forward(const Tensor& x) const { return pad_constant(x, *this); }
Tensor ReflectionPad1d::forward(const Tensor& x) const {
  return functional::pad(x, padding, {.mode = "reflect"});
}
Tensor ReflectionPad2d::forward(const Tensor& x) const {
  return functional::pad(x, padding, {.mode = "reflect"});
}
Tensor ReflectionPad3d::forward(const Tensor& x) const {
  return functional::pad(x, padding, {.mode = "reflect"});
}
Tensor ReplicationPad1d::forward(const Tensor& x) const {
  return functional::pad(x, padding, {.mode = "replicate"});
}
Tensor ReplicationPad2d::forward(const Tensor& x) const {
  return functional::pad(x, padding, {.mode = "replicate"});
}
Tensor ReplicationPad3d::forward(const Tensor& x) const {
  return functional::pad(x, padding, {.mode = "replicate"});
}

const ModuleSchema& module_schema(const CircularPad1d*) {
  static constexpr ModuleSchema schema = pad_schema<CircularPad1d>("CircularPad1d");
  return schema;
}
const ModuleSchema& module_schema(const CircularPad2d*) {
  static constexpr ModuleSchema schema = pad_schema<CircularPad2d>("CircularPad2d");
  return schema;
}
const ModuleSchema& module_schema(const CircularPad3d*) {
  static constexpr ModuleSchema schema = pad_schema<CircularPad3d>("CircularPad3d");
  return schema;
}
const ModuleSchema& module_schema(const ConstantPad1d*) {
  static constexpr ModuleSchema schema = constant_schema<ConstantPad1d>("ConstantPad1d");
  return schema;
}
const ModuleSchema& module_schema(const ConstantPad2d*) {
  static constexpr ModuleSchema schema = constant_schema<ConstantPad2d>("ConstantPad2d");
  return schema;
}
const ModuleSchema& module_schema(const ConstantPad3d*) {
  static constexpr ModuleSchema schema = constant_schema<ConstantPad3d>("ConstantPad3d");
  return schema;
}
const ModuleSchema& module_schema(const ZeroPad1d*) {
  static constexpr ModuleSchema schema = pad_schema<ZeroPad1d>("ZeroPad1d");
  return schema;
}
const ModuleSchema& module_schema(const ZeroPad2d*) {
  static constexpr ModuleSchema schema = pad_schema<ZeroPad2d>("ZeroPad2d");
  return schema;
}
const ModuleSchema& module_schema(const ZeroPad3d*) {
  static constexpr ModuleSchema schema = pad_schema<ZeroPad3d>("ZeroPad3d");
  return schema;
}
const ModuleSchema& module_schema(const ReflectionPad1d*) {
  static constexpr ModuleSchema schema = pad_schema<ReflectionPad1d>("ReflectionPad1d");
  return schema;
}
const ModuleSchema& module_schema(const ReflectionPad2d*) {
  static constexpr ModuleSchema schema = pad_schema<ReflectionPad2d>("ReflectionPad2d");
  return schema;
}
const ModuleSchema& module_schema(const ReflectionPad3d*) {
  static constexpr ModuleSchema schema = pad_schema<ReflectionPad3d>("ReflectionPad3d");
  return schema;
}
const ModuleSchema& module_schema(const ReplicationPad1d*) {
  static constexpr ModuleSchema schema = pad_schema<ReplicationPad1d>("ReplicationPad1d");
  return schema;
}
const ModuleSchema& module_schema(const ReplicationPad2d*) {
  static constexpr ModuleSchema schema = pad_schema<ReplicationPad2d>("ReplicationPad2d");
  return schema;
}
const ModuleSchema& module_schema(const ReplicationPad3d*) {
  static constexpr ModuleSchema schema = pad_schema<ReplicationPad3d>("ReplicationPad3d");
  return schema;
}

}  // namespace taper::nn
