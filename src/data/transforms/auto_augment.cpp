#include "taper/data/transforms/auto_augment.h"

#include "data/transforms/augmentation_ops.h"
#include "data/transforms/auto_augment_policies.h"
#include "data/transforms/draw.h"
#include "taper/ops/gamma.h"

namespace taper::data::transforms {
namespace {

constexpr std::int64_t kNumMagnitudes = 10;  // of AutoAugment and AugMix

constexpr MagnitudeRanges kRanges{.shear = 0.3,
                                  .translation = 150.0 / 331.0,
                                  .is_relative = true,
                                  .rotation = 30,
                                  .factor = 0.9,
                                  .max_bits = 8,
                                  .removed_bits = 4};
constexpr MagnitudeRanges kWideRanges{.shear = 0.99,
                                      .translation = 32,
                                      .is_relative = false,
                                      .rotation = 135,
                                      .factor = 0.99,
                                      .max_bits = 8,
                                      .removed_bits = 6};
constexpr MagnitudeRanges kMixRanges{.shear = 0.3,
                                     .translation = 1.0 / 3.0,
                                     .is_relative = true,
                                     .rotation = 30,
                                     .factor = 0.9,
                                     .max_bits = 4,
                                     .removed_bits = 4};

}  // namespace

std::vector<Tensor> AugmentationPolicy::forward(const std::vector<Tensor>& images,
                                                const TransformContext& context) const {
  if (images.size() != 1) fail<ValueError>("{}: expected one image, got {}", name(), images.size());
  check_image(name(), images[0]);
  return {augment(images[0], context)};
}

Tensor AugmentationPolicy::transform(const Tensor& image, const Value&) const {
  return forward({image})[0];
}

Tensor AugmentationPolicy::apply_operation(const Tensor& image, const std::string& op,
                                           double magnitude,
                                           const TransformContext& context) const {
  if (context.on_params)
    context.on_params(name(), Value::dict({{"op", op}, {"magnitude", magnitude}}));
  return transforms::apply_operation(image, op, magnitude, interpolation_, fill_);
}

AutoAugment::AutoAugment(AutoAugmentOptions options)
    : AugmentationPolicy(std::move(options.interpolation), std::move(options.fill)),
      policy_(std::move(options.policy)) {
  find_policy(policy_);
}

Tensor AutoAugment::augment(const Tensor& image, const TransformContext& context) const {
  const auto policy = find_policy(policy_);
  const std::int64_t chosen = draw_integer(0, std::ssize(policy), context.generator);
  Tensor result = image;
  for (const PolicyStep& step : policy[static_cast<std::size_t>(chosen)]) {
    if (!(draw_unit(context.generator) <= static_cast<float>(step.probability))) continue;
    const Magnitudes magnitudes = magnitudes_of(step.op, kRanges, image);
    const double magnitude =
        draw_sign(magnitudes, step.magnitude, kNumMagnitudes, context.generator);
    result = apply_operation(result, step.op, magnitude, context);
  }
  return result;
}

RandAugment::RandAugment(RandAugmentOptions o)
    : AugmentationPolicy(std::move(o.interpolation), std::move(o.fill)),
      num_ops_(o.num_ops),
      magnitude_(o.magnitude),
      num_magnitude_bins_(o.num_magnitude_bins) {
  if (num_ops_ < 0) fail<ValueError>("RandAugment: num_ops must not be negative: got {}", num_ops_);
  if (magnitude_ < 0 || magnitude_ >= num_magnitude_bins_)
    fail<ValueError>("RandAugment: magnitude must be in [0, {}): got {}", num_magnitude_bins_,
                     magnitude_);
}

Tensor RandAugment::augment(const Tensor& image, const TransformContext& context) const {
  Tensor result = image;
  for (std::int64_t i = 0; i < num_ops_; ++i) {
    const std::string op = draw_operation(all_operations(), context.generator);
    const Magnitudes magnitudes = magnitudes_of(op, kRanges, image);
    const double magnitude =
        draw_sign(magnitudes, magnitude_, num_magnitude_bins_, context.generator);
    result = apply_operation(result, op, magnitude, context);
  }
  return result;
}

namespace {

/// Draws one of the first `limit` of `count` magnitudes, and its sign.
double draw_magnitude(const Magnitudes& magnitudes, std::int64_t limit, std::int64_t count,
                      const Generator& generator) {
  if (!magnitudes.exist) return 0;
  return draw_sign(magnitudes, draw_integer(0, limit, generator), count, generator);
}

}  // namespace

TrivialAugmentWide::TrivialAugmentWide(TrivialAugmentWideOptions o)
    : AugmentationPolicy(std::move(o.interpolation), std::move(o.fill)),
      num_magnitude_bins_(o.num_magnitude_bins) {
  if (num_magnitude_bins_ < 1)
    fail<ValueError>("TrivialAugmentWide: num_magnitude_bins must be positive: got {}",
                     num_magnitude_bins_);
}

Tensor TrivialAugmentWide::augment(const Tensor& image, const TransformContext& context) const {
  const std::string op = draw_operation(all_operations(), context.generator);
  const double magnitude =
      draw_magnitude(magnitudes_of(op, kWideRanges, image), num_magnitude_bins_,
                     num_magnitude_bins_, context.generator);
  return apply_operation(image, op, magnitude, context);
}

AugMix::AugMix(AugMixOptions o)
    : AugmentationPolicy(o.interpolation, o.fill), options_(std::move(o)) {
  if (options_.severity < 1 || options_.severity > kNumMagnitudes)
    fail<ValueError>("AugMix: severity must be in [1, {}]: got {}", kNumMagnitudes,
                     options_.severity);
  if (options_.mixture_width < 1)
    fail<ValueError>("AugMix: mixture_width must be positive: got {}", options_.mixture_width);
  if (!(options_.alpha > 0))
    fail<ValueError>("AugMix: alpha must be positive: got {}", options_.alpha);
}

Tensor AugMix::augment(const Tensor& image, const TransformContext& context) const {
  const Generator& generator = context.generator;
  const Tensor batch = image.dim() == 3 ? image.unsqueeze(0) : image;
  Shape per_image = Shape::filled(static_cast<std::size_t>(batch.dim()), 1);
  per_image[0] = batch.size(0);
  const auto draw_weights = [&](std::int64_t count) {
    return sample_dirichlet(full({batch.size(0), count}, options_.alpha, {.dtype = DType::f32}),
                            generator)
        .to(image.device());
  };
  const auto scaled = [&](const Tensor& x, const Tensor& weights, std::int64_t column) {
    return weights.select(1, column).reshape(per_image) * x;
  };
  const Tensor shares = draw_weights(2);
  const Tensor weights = draw_weights(options_.mixture_width) * shares.narrow(1, 1, 1);
  Tensor mix = scaled(batch, shares, 0);
  for (std::int64_t chain = 0; chain < options_.mixture_width; ++chain) {
    Tensor result = batch;
    const std::int64_t depth =
        options_.chain_depth > 0 ? options_.chain_depth : draw_integer(1, 4, generator);
    for (std::int64_t i = 0; i < depth; ++i) {
      const std::string op = draw_operation(mixed_operations(options_.all_ops), generator);
      const double magnitude = draw_magnitude(magnitudes_of(op, kMixRanges, image),
                                              options_.severity, kNumMagnitudes, generator);
      result = apply_operation(result, op, magnitude, context);
    }
    mix = mix + scaled(result, weights, chain);
  }
  return mix.reshape(image.shape()).to(image.dtype());
}

}  // namespace taper::data::transforms
