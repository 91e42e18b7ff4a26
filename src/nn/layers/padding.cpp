#include "taper/nn/padding.h"

#include <string_view>

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"
#include "taper/nn/functional/pad.h"

namespace taper::nn {

PadBase::PadBase(std::size_t rank, const Shape& counts, const char* mode)
    : padding(counts.size() == 1 ? Shape::filled(2 * rank, counts[0]) : counts),
      rank_(rank),
      mode_(mode) {}

Tensor PadBase::forward(const Tensor& x) const {
  const auto rank = static_cast<std::int64_t>(rank_);
  if (mode_ == std::string_view("circular") && x.dim() != rank + 1 && x.dim() != rank + 2)
    fail<ValueError>("expected {}D or {}D input (got {}D input)", rank + 1, rank + 2, x.dim());
  return functional::pad(x, padding, {.mode = mode_});
}
std::string PadBase::extra_repr() const { return tuple_text(padding); }

Tensor ConstantPadBase::forward(const Tensor& x) const {
  return functional::pad(x, padding, {.value = value});
}

namespace {

std::string constant_text(const ConstantPadBase& m) {
  return "padding=" + tuple_text(m.padding) + ", value=" + m.value.str();
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

#define TAPER_PAD(Name, schema_of)                                 \
  TAPER_LAYER_MEMBERS(Name)                                        \
  const ModuleSchema& module_schema(const Name*) {                 \
    static constexpr ModuleSchema schema = schema_of<Name>(#Name); \
    return schema;                                                 \
  }
// A layer whose constant is an argument.
#define TAPER_CONSTANT_PAD(Name)   \
  TAPER_PAD(Name, constant_schema) \
  std::string Name::extra_repr() const { return constant_text(*this); }

TAPER_PAD(CircularPad1d, pad_schema)
TAPER_PAD(CircularPad2d, pad_schema)
TAPER_PAD(CircularPad3d, pad_schema)
TAPER_CONSTANT_PAD(ConstantPad1d)
TAPER_CONSTANT_PAD(ConstantPad2d)
TAPER_CONSTANT_PAD(ConstantPad3d)
TAPER_PAD(ZeroPad1d, pad_schema)
TAPER_PAD(ZeroPad2d, pad_schema)
TAPER_PAD(ZeroPad3d, pad_schema)
TAPER_PAD(ReflectionPad1d, pad_schema)
TAPER_PAD(ReflectionPad2d, pad_schema)
TAPER_PAD(ReflectionPad3d, pad_schema)
TAPER_PAD(ReplicationPad1d, pad_schema)
TAPER_PAD(ReplicationPad2d, pad_schema)
TAPER_PAD(ReplicationPad3d, pad_schema)

}  // namespace taper::nn
