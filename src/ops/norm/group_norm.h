// Layer, group and RMS normalization: one computation over groups of consecutive elements.
#pragma once
#include "cpu/norm/group_norm.h"
#include "ops/op.h"

namespace taper {

using cpu::GroupShape;
enum class NormKind : std::uint8_t { layer, group, rms };

/// Attributes of the normalization of the last dimensions.
struct LastDimensions {
  Shape normalized_shape{};
  double eps = 1e-5;
  TAPER_ATTRIBUTES(normalized_shape, eps)
  GroupShape groups_of(const Shape& x) const;
};
/// Attributes of the normalization of groups of channels.
struct ChannelGroups {
  std::int64_t num_groups = 1;
  double eps = 1e-5;
  TAPER_ATTRIBUTES(num_groups, eps)
  GroupShape groups_of(const Shape& x) const;
};
template <NormKind kind> using NormAttributes =
    std::conditional_t<kind == NormKind::group, ChannelGroups, LastDimensions>;

constexpr OpInfo norm_info(NormKind kind) {
  const bool rms = kind == NormKind::rms;
  return {.name = kind == NormKind::layer   ? "native_layer_norm"
                  : kind == NormKind::group ? "native_group_norm"
                                            : "rms_norm",
          .node = kind == NormKind::layer   ? "NativeLayerNormBackward0"
                  : kind == NormKind::group ? "NativeGroupNormBackward0"
                                            : "FusedRmsNormBackward0",
          .inputs = rms ? "input weight?" : "input weight? bias?",
          .outputs = rms ? "output rstd" : "output mean rstd",
          .dtypes = DTypeSet::floating,
          .saved = in(0) | in(1) | out(1) | (rms ? 0 : out(2)),
          .has_cpu_kernel = true,
          .half_in_f32 = true,
          .public_name = kind == NormKind::layer   ? "layer_norm"
                         : kind == NormKind::group ? "group_norm"
                                                   : ""};
}

/// Computes (input - mean) * rstd * weight + bias, where mean and rstd are the mean and the inverse
/// standard deviation of each group; for `rms`, input * rstd * weight with the inverse of the root
/// mean square. Also returns the statistics (rows).
template <NormKind kind> struct GroupNormalize : NormAttributes<kind> {
  static constexpr OpInfo op = norm_info(kind);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<GroupNormalize>& b) const;
};
using LayerNormOp = GroupNormalize<NormKind::layer>;
using GroupNormOp = GroupNormalize<NormKind::group>;
using RmsNormOp = GroupNormalize<NormKind::rms>;

constexpr OpInfo norm_backward_info(NormKind kind) {
  const bool rms = kind == NormKind::rms;
  return {.name = kind == NormKind::layer   ? "native_layer_norm_backward"
                  : kind == NormKind::group ? "native_group_norm_backward"
                                            : "rms_norm_backward",
          .node = kind == NormKind::layer   ? "NativeLayerNormBackwardBackward0"
                  : kind == NormKind::group ? "NativeGroupNormBackwardBackward0"
                                            : "FusedRmsNormBackwardBackward0",
          .inputs = rms ? "grad_out input rstd weight?" : "grad_out input mean rstd weight?",
          .outputs = rms ? "grad_input grad_weight" : "grad_input grad_weight grad_bias",
          .dtypes = DTypeSet::floating,
          .saved = in(0) | in(1) | in(2) | in(3) | (rms ? 0 : in(4)),
          .has_cpu_kernel = true,
          .half_in_f32 = true};
}

template <NormKind kind> struct BackwardAttributes;
template <> struct BackwardAttributes<NormKind::layer> {
  Shape normalized_shape{};
  bool compute_grad_input = true, compute_grad_weight = true, compute_grad_bias = true;
  TAPER_ATTRIBUTES(normalized_shape, compute_grad_input, compute_grad_weight, compute_grad_bias)
  GroupShape groups_of(const Shape& x) const {
    return LastDimensions{normalized_shape}.groups_of(x);
  }
};
template <> struct BackwardAttributes<NormKind::group> {
  std::int64_t num_groups = 1;
  bool compute_grad_input = true, compute_grad_weight = true, compute_grad_bias = true;
  TAPER_ATTRIBUTES(num_groups, compute_grad_input, compute_grad_weight, compute_grad_bias)
  GroupShape groups_of(const Shape& x) const { return ChannelGroups{num_groups}.groups_of(x); }
};
template <> struct BackwardAttributes<NormKind::rms> {
  Shape normalized_shape{};
  bool compute_grad_input = true, compute_grad_weight = true;
  TAPER_ATTRIBUTES(normalized_shape, compute_grad_input, compute_grad_weight)
  static constexpr bool compute_grad_bias = false;
  GroupShape groups_of(const Shape& x) const {
    return LastDimensions{normalized_shape}.groups_of(x);
  }
};

/// Computes the gradients of GroupNormalize with respect to input, weight and bias, including those
/// through the statistics.
template <NormKind kind> struct GroupNormalizeBackward : BackwardAttributes<kind> {
  static constexpr OpInfo op = norm_backward_info(kind);
  void infer(ShapeInference& i) const;
  /// Differentiates the gradient as a function of the input alone, on which the statistics depend.
  void backward(BackwardContext<GroupNormalizeBackward>& b) const;
};

/// Positions of the inputs and outputs of the ops, of which `rms` lacks mean and bias.
template <NormKind kind> struct NormOperands {
  static constexpr bool kCentered = kind != NormKind::rms;
  static constexpr int kRstd = kCentered ? 2 : 1;  ///< output of GroupNormalize
  static constexpr int kGradRstd = kCentered ? 3 : 2, kGradWeight = kGradRstd + 1;
};

}  // namespace taper
