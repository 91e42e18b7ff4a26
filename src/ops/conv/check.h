// What convolutions and transposed ones refuse alike.
#pragma once
#include "ops/op.h"
#include "taper/core/optional_tensor.h"

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

/// Number `d` of a list that may hold one for all dimensions.
inline std::int64_t at(const Shape& list, std::size_t d) { return list[list.size() == 1 ? 0 : d]; }
/// Throws E for a list that holds neither one number nor one per spatial dimension.
template <class E = ShapeError>
void check_list(const ConvCall& call, std::string_view what, const Shape& list) {
  if (list.size() != 1 && list.size() != call.spatial)
    refuse<E>(call,
              "expected {} to be a single integer value or a list of {} values to match the "
              "convolution dimensions, but got {}={}",
              what, call.spatial, what, list);
}
/// Throws ShapeError for an input that is neither a sample nor a batch.
[[noreturn]] void refuse_rank(const ConvCall& call, const Shape& input);
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

/// Runs `op` on a batch, or on one sample as on a batch of one.
template <class O> Tensor run_batched(const ConvCall& call, const O& op, const Tensor& input,
                                      const Tensor& weight, OptionalTensorRef bias) {
  const std::size_t rank = input.shape().size();
  if (rank != call.spatial + 1 && rank != call.spatial + 2) refuse_rank(call, input.shape());
  const Tensor& b = bias.value_or_undefined();
  if (rank == call.spatial + 2) return run(op, input, weight, b);
  return run(op, input.unsqueeze(0), weight, b).squeeze(Dims{0});
}

}  // namespace taper
