// Argument checks shared by convolutions and transposed convolutions.
#pragma once
#include "ops/op.h"
#include "taper/core/optional_tensor.h"

namespace taper {

/// Name of the called function for error messages: conv2d is {"conv", 2}.
struct ConvCall {
  std::string_view name;
  std::size_t spatial;
};

/// Throws E("conv2d: <message>").
template <class E = ShapeError, class... A>
[[noreturn]] void reject(const ConvCall& call, fmt::format_string<FormatArg<A>...> form,
                         const A&... args) {
  throw_formatted<E>(std::string(call.name) + std::to_string(call.spatial) +
                     "d: " + format_message<A...>(form, args...));
}

/// Returns element `d` of `list`. A one-element list applies to all dimensions.
inline std::int64_t element_for_dim(const Shape& list, std::size_t d) {
  return list[list.size() == 1 ? 0 : d];
}
/// Throws E unless `list` has one element or one per spatial dimension.
template <class E = ShapeError>
void check_list(const ConvCall& call, std::string_view argument, const Shape& list) {
  if (list.size() != 1 && list.size() != call.spatial)
    reject<E>(call,
              "expected {} to be a single integer value or a list of {} values to match the "
              "convolution dimensions, but got {}={}",
              argument, call.spatial, argument, list);
}
/// Throws ShapeError for an input that is neither a single sample nor a batch.
[[noreturn]] void reject_rank(const ConvCall& call, const Shape& input);
/// Returns true if an element of `list` is less than `min`.
bool any_below(const Shape& list, std::int64_t min);
/// Throws ShapeError if stride, padding, dilation or groups are invalid for any input.
template <class O> void check_conv_arguments(const ConvCall& call, const O& o) {
  check_list(call, "stride", o.stride);
  check_list(call, "padding", o.padding);
  check_list(call, "dilation", o.dilation);
  if (any_below(o.padding, 0))
    reject(call, "negative padding is not supported: got padding={}", o.padding);
  if (any_below(o.stride, 1))
    reject(call, "non-positive stride is not supported: got stride={}", o.stride);
  if (any_below(o.dilation, 1))
    reject(call, "dilation should be greater than zero, but got {}", o.dilation);
  if (o.groups < 1) reject(call, "non-positive groups is not supported: got groups={}", o.groups);
}
/// Throws DTypeError unless input, weight and bias have the same dtype.
void check_dtypes(const ConvCall& call, const ShapeInference& i);
/// Throws ShapeError unless dimension 0 of `weight` is non-empty and divisible by `groups`.
void check_weight(const ConvCall& call, const Shape& weight, std::int64_t groups);
/// Returns the sizes as text: "5 x 5".
std::string join_sizes(const Shape& sizes);

/// Throws ValueError for an undefined input or weight.
inline void check_defined(const ConvCall& call, const Tensor& input, const Tensor& weight) {
  if (!input.defined() || !weight.defined())
    reject<ValueError>(call, "argument '{}' is an undefined tensor",
                       input.defined() ? "weight" : "input");
}
/// Returns the bias that is given by position or as a field of the options. Throws TypeError if
/// both are.
inline OptionalTensorRef one_bias(const ConvCall& call, OptionalTensorRef position,
                                  OptionalTensorRef field) {
  if (position && field)
    reject<TypeError>(call, "got multiple values for argument 'bias': by position and as a field");
  return position ? position : field;
}
/// Runs `op` on a batch. A single sample is processed as a batch of size one. Throws ShapeError for
/// an input of any other rank.
template <class O> Tensor run_batched(const ConvCall& call, const O& op, const Tensor& input,
                                      const Tensor& weight, OptionalTensorRef bias) {
  const std::size_t rank = input.shape().size();
  if (rank != call.spatial + 1 && rank != call.spatial + 2) reject_rank(call, input.shape());
  const Tensor& b = bias.value_or_undefined();
  if (rank == call.spatial + 2) return run(op, input, weight, b);
  return run(op, input.unsqueeze(0), weight, b).squeeze(Dims{0});
}

}  // namespace taper
