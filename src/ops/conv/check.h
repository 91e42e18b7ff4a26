// What convolutions and transposed ones refuse alike.
#pragma once
#include "ops/op.h"

namespace taper {

/// The function that was called, for texts: conv2d is {"conv", 2}.
struct ConvCall {
  std::string_view name;
  std::size_t spatial;
};

/// Throws E("conv2d: <text>").
template <class E = ShapeError, class... A>
[[noreturn]] void refuse(const ConvCall& call, fmt::format_string<Said<A>...> form,
                         const A&... args) {
  throw_text<E>(std::string(call.name) + std::to_string(call.spatial) +
                "d: " + text<A...>(form, args...));
}

/// A list of one number, or of one per spatial dimension.
void check_list(const ConvCall& call, std::string_view what, const Shape& list);
bool any_below(const Shape& list, std::int64_t least);
/// Stride, padding, dilation and groups, each on its own.
template <class O> void check_numbers(const ConvCall& call, const O& o) {
  check_list(call, "stride", o.stride);
  check_list(call, "padding", o.padding);
  check_list(call, "dilation", o.dilation);
  if (any_below(o.padding, 0))
    refuse(call, "negative padding is not supported: got padding={}", o.padding);
  if (any_below(o.stride, 1))
    refuse(call, "non-positive stride is not supported: got stride={}", o.stride);
  if (any_below(o.dilation, 1))
    refuse(call, "dilation should be greater than zero, but got {}", o.dilation);
  if (o.groups < 1) refuse(call, "non-positive groups is not supported: got groups={}", o.groups);
}
/// Input, weight and bias have one dtype, which is not bool.
void check_dtypes(const ConvCall& call, const Infer& i);
/// A weight's first dimension holds the groups.
void check_weight(const ConvCall& call, const Shape& weight, std::int64_t groups);
/// "5 x 5".
std::string by(const Shape& sizes);

}  // namespace taper
