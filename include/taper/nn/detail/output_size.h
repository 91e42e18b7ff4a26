// Calls of layers with an optional output size: transposed convolutions and the inverses of
// pooling.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/convert.h"
#include "taper/nn/detail/call.h"
#include "taper/ops/call_arguments.h"

namespace TAPER_API taper {
namespace nn {

/// Optional argument of the forward of a layer whose input does not determine the size of the
/// output: `up(x, {.output_size = {9, 9}})`, or `up(x, {9, 9})`.
struct OutputSizeOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape output_size{};  ///< with or without batch and channel dimensions
};

/// The Value of the options is that of `output_size`, as in Python.
template <> struct Convert<OutputSizeOptions> {
  static Value to(const OutputSizeOptions& options) {
    return Convert<std::optional<Shape>>::to(options.output_size);
  }
  static OutputSizeOptions from(const Value& v) {
    return {.output_size = Convert<std::optional<Shape>>::from(v)};
  }
};

}  // namespace nn
}  // namespace taper

// The calls of layer `Name`, which may be const, with one tensor and an output size. Templates, so
// that they are compiled only if a program uses them; their arguments may be in braces, because
// they do not determine the template arguments.
#define TAPER_DETAIL_CONV_TRANSPOSE_CALLS(Name, maybe_const)                                     \
  template <class TaperM = maybe_const Name>                                                     \
  ::taper::Tensor operator()(const ::taper::Tensor& input) maybe_const {                         \
    return ::taper::nn::detail::call_typed(static_cast<TaperM&>(*this), input);                  \
  }                                                                                              \
  template <class TaperM = maybe_const Name>::taper::Tensor operator()(                          \
      const ::taper::Tensor& input, const ::taper::nn::OutputSizeOptions& options) maybe_const { \
    return ::taper::nn::detail::call_typed(static_cast<TaperM&>(*this), input, options);         \
  }                                                                                              \
  template <::taper::detail::SizesArgument TaperS = ::taper::detail::BracedSizes>                \
  ::taper::Tensor operator()(const ::taper::Tensor& input, const TaperS& output_size)            \
      maybe_const {                                                                              \
    return ::taper::nn::detail::call_typed(                                                      \
        ::taper::nn::detail::as_class<maybe_const Name>(*this), input,                           \
        ::taper::nn::OutputSizeOptions{.output_size = ::taper::Shape(output_size)});             \
  }

// As above, for layers of two tensors.
#define TAPER_DETAIL_MAX_UNPOOL_CALLS(Name)                                                        \
  template <class TaperM = const Name>                                                             \
  ::taper::Tensor operator()(const ::taper::Tensor& input, const ::taper::Tensor& indices) const { \
    return ::taper::nn::detail::call_typed(static_cast<TaperM&>(*this), input, indices);           \
  }                                                                                                \
  template <class TaperM = const Name>                                                             \
  ::taper::Tensor operator()(const ::taper::Tensor& input, const ::taper::Tensor& indices,         \
                             const ::taper::nn::OutputSizeOptions& options) const {                \
    return ::taper::nn::detail::call_typed(static_cast<TaperM&>(*this), input, indices, options);  \
  }                                                                                                \
  template <::taper::detail::SizesArgument TaperS = ::taper::detail::BracedSizes>                  \
  ::taper::Tensor operator()(const ::taper::Tensor& input, const ::taper::Tensor& indices,         \
                             const TaperS& output_size) const {                                    \
    return ::taper::nn::detail::call_typed(                                                        \
        *this, input, indices,                                                                     \
        ::taper::nn::OutputSizeOptions{.output_size = ::taper::Shape(output_size)});               \
  }
