#include "vision/mobilenet_v3.h"

#include <span>
#include <vector>

namespace vision {

using namespace taper;

namespace {

/// A row of the tables of the paper: an inverted residual block.
struct InvertedResidualConfig {
  std::int64_t in, kernel, expanded, out;
  bool squeeze_excitation, hard_swish;
  std::int64_t stride, dilation = 1;
};

// Columns: input channels, kernel, expanded channels, output channels, squeeze-and-excitation, hard
// swish, stride. The last three rows are the tail.
constexpr InvertedResidualConfig kLarge[] = {
    {16, 3, 16, 16, false, false, 1},  {16, 3, 64, 24, false, false, 2},
    {24, 3, 72, 24, false, false, 1},  {24, 5, 72, 40, true, false, 2},
    {40, 5, 120, 40, true, false, 1},  {40, 5, 120, 40, true, false, 1},
    {40, 3, 240, 80, false, true, 2},  {80, 3, 200, 80, false, true, 1},
    {80, 3, 184, 80, false, true, 1},  {80, 3, 184, 80, false, true, 1},
    {80, 3, 480, 112, true, true, 1},  {112, 3, 672, 112, true, true, 1},
    {112, 5, 672, 160, true, true, 2}, {160, 5, 960, 160, true, true, 1},
    {160, 5, 960, 160, true, true, 1}};
constexpr InvertedResidualConfig kSmall[] = {
    {16, 3, 16, 16, true, false, 2},  {16, 3, 72, 24, false, false, 2},
    {24, 3, 88, 24, false, false, 1}, {24, 5, 96, 40, true, true, 2},
    {40, 5, 240, 40, true, true, 1},  {40, 5, 240, 40, true, true, 1},
    {40, 5, 120, 48, true, true, 1},  {48, 5, 144, 48, true, true, 1},
    {48, 5, 288, 96, true, true, 2},  {96, 5, 576, 96, true, true, 1},
    {96, 5, 576, 96, true, true, 1}};

/// Returns the rows with the options applied to the number of channels and to the tail.
std::vector<InvertedResidualConfig> scaled_rows(std::span<const InvertedResidualConfig> table,
                                                const MobileNetV3Options& o) {
  std::vector<InvertedResidualConfig> rows(table.begin(), table.end());
  const std::size_t tail = rows.size() - 3;
  const std::int64_t divider = o.reduced_tail ? 2 : 1;
  for (std::size_t i = tail; i < rows.size(); ++i) {
    if (i > tail) rows[i].in /= divider, rows[i].expanded /= divider;
    rows[i].out /= divider;
    if (o.dilated) rows[i].dilation = 2;
  }
  for (InvertedResidualConfig& row : rows)
    for (std::int64_t* channels : {&row.in, &row.expanded, &row.out})
      *channels = make_divisible(static_cast<double>(*channels) * o.width_mult);
  return rows;
}

}  // namespace

/// Inverted residual block with squeeze-and-excitation.
struct InvertedResidualV3 : nn::Layer<InvertedResidualV3> {
  nn::Sequential block;
  bool use_res_connect;

  InvertedResidualV3(const InvertedResidualConfig& row, const NormLayer& norm_layer)
      : use_res_connect(row.stride == 1 && row.in == row.out) {
    const ActivationLayer activation =
        row.hard_swish ? in_place<nn::Hardswish> : in_place<nn::ReLU>;
    if (row.expanded != row.in)
      block.append(Conv2dNormActivation(
          row.in, row.expanded,
          {.kernel_size = 1, .norm_layer = norm_layer, .activation = activation}));
    block.append(Conv2dNormActivation(row.expanded, row.expanded,
                                      {.kernel_size = row.kernel,
                                       .stride = row.dilation > 1 ? 1 : row.stride,
                                       .groups = row.expanded,
                                       .dilation = row.dilation,
                                       .norm_layer = norm_layer,
                                       .activation = activation}));
    if (row.squeeze_excitation)
      block.append(SqueezeExcitation(row.expanded,
                                     make_divisible(static_cast<double>(row.expanded / 4)),
                                     out_of_place<nn::ReLU>, out_of_place<nn::Hardsigmoid>));
    block.append(
        Conv2dNormActivation(row.expanded, row.out,
                             {.kernel_size = 1, .norm_layer = norm_layer, .activation = nullptr}));
  }
  TAPER_LAYER(InvertedResidualV3)

  Tensor forward(const Tensor& x) const {
    Tensor result = block(x);
    if (use_res_connect) result += x;
    return result;
  }
};
TAPER_LAYER_MEMBERS_AS(InvertedResidualV3, "InvertedResidual", block)

TAPER_LAYER_MEMBERS(MobileNetV3, features, avgpool, classifier)

MobileNetV3::MobileNetV3(MobileNetV3Size size, const MobileNetV3Options& o) : avgpool(1) {
  const bool large = size == MobileNetV3Size::large;
  const std::vector<InvertedResidualConfig> rows =
      scaled_rows(large ? std::span<const InvertedResidualConfig>(kLarge) : kSmall, o);
  const ActivationLayer hard_swish = in_place<nn::Hardswish>;
  features.append(Conv2dNormActivation(
      3, rows.front().in, {.stride = 2, .norm_layer = o.norm_layer, .activation = hard_swish}));
  for (const InvertedResidualConfig& row : rows)
    features.append(InvertedResidualV3(row, o.norm_layer));
  const std::int64_t in = rows.back().out, out = 6 * in;
  features.append(Conv2dNormActivation(
      in, out, {.kernel_size = 1, .norm_layer = o.norm_layer, .activation = hard_swish}));
  const std::int64_t last = (large ? 1280 : 1024) / (o.reduced_tail ? 2 : 1);
  const std::int64_t hidden = make_divisible(static_cast<double>(last) * o.width_mult);
  classifier.append(nn::Linear(out, hidden))
      .append(nn::Hardswish({.inplace = true}))
      .append(nn::Dropout(o.dropout, {.inplace = true}))
      .append(nn::Linear(hidden, o.num_classes));
  initialize_convolutions(features);
  initialize_linear_layers(classifier);
}

Tensor MobileNetV3::forward(const Tensor& images) const {
  return classifier(avgpool(features(images)).flatten(1));
}

MobileNetV3 mobilenet_v3_large(const MobileNetV3Options& o) {
  return MobileNetV3(MobileNetV3Size::large, o);
}
MobileNetV3 mobilenet_v3_small(const MobileNetV3Options& o) {
  return MobileNetV3(MobileNetV3Size::small, o);
}

}  // namespace vision
