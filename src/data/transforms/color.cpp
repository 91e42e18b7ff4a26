#include "taper/data/transforms/color.h"

#include <algorithm>

#include "data/transforms/draw.h"

namespace taper::data::transforms {

namespace F = functional;

Tensor Grayscale::transform(const Tensor& image, const Value&) const {
  return F::rgb_to_grayscale(image, num_output_channels_);
}
Tensor RGB::transform(const Tensor& image, const Value&) const {
  return F::grayscale_to_rgb(image);
}
Tensor RandomInvert::transform(const Tensor& image, const Value&) const { return F::invert(image); }
Tensor RandomPosterize::transform(const Tensor& image, const Value&) const {
  return F::posterize(image, bits_);
}
Tensor RandomSolarize::transform(const Tensor& image, const Value&) const {
  return F::solarize(image, threshold_);
}
Tensor RandomAdjustSharpness::transform(const Tensor& image, const Value&) const {
  return F::adjust_sharpness(image, sharpness_factor_);
}
Tensor RandomAutocontrast::transform(const Tensor& image, const Value&) const {
  return F::autocontrast(image);
}
Tensor RandomEqualize::transform(const Tensor& image, const Value&) const {
  return F::equalize(image);
}

Value RandomGrayscale::make_params(const std::vector<Tensor>& images, const Generator&) const {
  return Value::dict({{"num_input_channels", channels_of(first_image("RandomGrayscale", images))}});
}
Tensor RandomGrayscale::transform(const Tensor& image, const Value& params) const {
  return F::rgb_to_grayscale(image, int_param(params, "num_input_channels"));
}

namespace {

/// The four adjustments, with the names of their parameters.
struct Adjustment {
  const char* parameter;
  Tensor (*function)(const Tensor& image, double factor);
};
constexpr Adjustment kAdjustments[4] = {{"brightness_factor", F::adjust_brightness},
                                        {"contrast_factor", F::adjust_contrast},
                                        {"saturation_factor", F::adjust_saturation},
                                        {"hue_factor", F::adjust_hue}};
enum : std::size_t { kBrightness, kContrast, kSaturation, kHue };

/// Applies an adjustment unless its parameter is None.
Tensor adjust(const Tensor& image, const Value& params, std::size_t which) {
  if (which >= std::size(kAdjustments))
    fail<ValueError>("fn_idx must be in [0, 4): got {}", static_cast<std::int64_t>(which));
  const Value factor = params[kAdjustments[which].parameter];
  return factor.is_none() ? image : kAdjustments[which].function(image, factor.as_double());
}

/// Returns the range of the factors of an adjustment; empty if it does not change the image.
Numbers factor_range(std::size_t which, const Numbers& values) {
  const char* const name = kAdjustments[which].parameter;
  const double center = which == kHue ? 0 : 1;
  if (values.empty()) return {};
  if (values.size() > 2)
    fail<ValueError>("ColorJitter: {}: expected one number or a range, got {} numbers", name,
                     values.size());
  double low = values[0], high = values[values.size() - 1];
  if (values.size() == 1) {
    if (!(low >= 0))
      fail<ValueError>("ColorJitter: {}: a single number must not be negative: got {}", name, low);
    low = which == kHue ? -low : std::max(0.0, center - low);
    high += center;
  }
  if (!(low <= high) || (which == kHue ? low < -0.5 || high > 0.5 : low < 0))
    fail<ValueError>("ColorJitter: {} must be increasing and in {}: got ({}, {})", name,
                     which == kHue ? "[-0.5, 0.5]" : "[0, inf)", low, high);
  if (low == center && high == center) return {};
  return {low, high};
}

}  // namespace

ColorJitter::ColorJitter(const ColorJitterOptions& o)
    : ranges_{factor_range(kBrightness, o.brightness), factor_range(kContrast, o.contrast),
              factor_range(kSaturation, o.saturation), factor_range(kHue, o.hue)} {}

Value ColorJitter::make_params(const std::vector<Tensor>&, const Generator& generator) const {
  Value params = Value::dict({{"fn_idx", randperm(4, {}, generator)}});
  for (std::size_t i = 0; i < 4; ++i)
    params[kAdjustments[i].parameter] =
        ranges_[i].empty() ? Value() : Value(draw_uniform(ranges_[i][0], ranges_[i][1], generator));
  return params;
}

Tensor ColorJitter::transform(const Tensor& image, const Value& params) const {
  Tensor result = image;
  const Value order = params["fn_idx"];
  for (const std::int64_t which : order.as_tensor().data<std::int64_t>())
    result = adjust(result, params, static_cast<std::size_t>(which));
  return result;
}

RandomPhotometricDistort::RandomPhotometricDistort(RandomPhotometricDistortOptions options)
    : options_(options) {
  check_probability("RandomPhotometricDistort", options_.p);
}

Value RandomPhotometricDistort::make_params(const std::vector<Tensor>& images,
                                            const Generator& generator) const {
  const std::int64_t channels = channels_of(first_image("RandomPhotometricDistort", images));
  const std::array<double, 2>* const ranges[4] = {&options_.brightness, &options_.contrast,
                                                  &options_.saturation, &options_.hue};
  Value params = Value::dict();
  for (std::size_t i = 0; i < 4; ++i) {
    const bool applies = draw_bool(options_.p, generator);
    params[kAdjustments[i].parameter] =
        applies ? Value(draw_uniform((*ranges[i])[0], (*ranges[i])[1], generator)) : Value();
  }
  params["contrast_before"] = draw_bool(0.5, generator);
  const bool permutes = draw_bool(options_.p, generator);
  params["channel_permutation"] = permutes ? Value(randperm(channels, {}, generator)) : Value();
  return params;
}

namespace {

Tensor permute(const Tensor& image, const Value& permutation) {
  return F::permute_channels(image, permutation.as_tensor().data<std::int64_t>());
}

}  // namespace

Tensor RandomPhotometricDistort::transform(const Tensor& image, const Value& params) const {
  const bool contrast_before = params["contrast_before"].as_bool();
  Tensor result = adjust(image, params, kBrightness);
  if (contrast_before) result = adjust(result, params, kContrast);
  result = adjust(adjust(result, params, kSaturation), params, kHue);
  if (!contrast_before) result = adjust(result, params, kContrast);
  const Value permutation = params["channel_permutation"];
  return permutation.is_none() ? result : permute(result, permutation);
}

Value RandomChannelPermutation::make_params(const std::vector<Tensor>& images,
                                            const Generator& generator) const {
  const std::int64_t channels = channels_of(first_image("RandomChannelPermutation", images));
  return Value::dict({{"permutation", randperm(channels, {}, generator)}});
}
Tensor RandomChannelPermutation::transform(const Tensor& image, const Value& params) const {
  return permute(image, params["permutation"]);
}

}  // namespace taper::data::transforms
