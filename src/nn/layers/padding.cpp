#include "taper/nn/padding.h"

#include <string_view>

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"
#include "taper/nn/functional/pad.h"

namespace taper::nn {

PadBase::PadBase(std::size_t rank, const Shape& counts, const char* mode)
    : padding(counts.size() == 1 ? Shape::filled(2 * rank, counts[0]) : counts),
      rank_(rank),
      mode_(mode) {}

Tensor PadBase::forward(const Tensor& x) const {
  check_called();
  const auto rank = static_cast<std::int64_t>(rank_);
  if (mode_ == std::string_view("circular") && x.dim() != rank + 1 && x.dim() != rank + 2)
    fail<ValueError>("expected {}D or {}D input (got {}D input)", rank + 1, rank + 2, x.dim());
  return functional::pad(x, padding, {.mode = mode_});
}
std::string PadBase::extra_repr() const { return tuple_text(padding); }

Tensor ConstantPadBase::forward(const Tensor& x) const {
  return functional::pad(called(x), padding, {.value = value});
}

namespace {

std::string constant_text(const ConstantPadBase& m) {
  return "padding=" + tuple_text(m.padding) + ", value=" + m.value.str();
}

}  // namespace

template <std::derived_from<PadBase> L> constexpr bool kStoresTuples<L> = true;

#define TAPER_PAD(Name, ...) \
  TAPER_LAYER_MEMBERS(Name)  \
  TAPER_SCHEMA(Name, "padding", __VA_ARGS__)
// A layer whose constant is an argument.
#define TAPER_CONSTANT_PAD(Name)  \
  TAPER_PAD(Name, padding, value) \
  std::string Name::extra_repr() const { return constant_text(*this); }

TAPER_PAD(CircularPad1d, padding)
TAPER_PAD(CircularPad2d, padding)
TAPER_PAD(CircularPad3d, padding)
TAPER_CONSTANT_PAD(ConstantPad1d)
TAPER_CONSTANT_PAD(ConstantPad2d)
TAPER_CONSTANT_PAD(ConstantPad3d)
TAPER_PAD(ZeroPad1d, padding)
TAPER_PAD(ZeroPad2d, padding)
TAPER_PAD(ZeroPad3d, padding)
TAPER_PAD(ReflectionPad1d, padding)
TAPER_PAD(ReflectionPad2d, padding)
TAPER_PAD(ReflectionPad3d, padding)
TAPER_PAD(ReplicationPad1d, padding)
TAPER_PAD(ReplicationPad2d, padding)
TAPER_PAD(ReplicationPad3d, padding)

}  // namespace taper::nn
