#include "taper/data/transforms/misc.h"

#include <algorithm>

#include "data/transforms/area.h"
#include "data/transforms/draw.h"

namespace taper::data::transforms {

Tensor Normalize::transform(const Tensor& image, const Value&) const {
  return functional::normalize(image, mean_, std_);
}

Tensor ToDtype::transform(const Tensor& image, const Value&) const {
  return functional::to_dtype(image, dtype_, scale_);
}

GaussianBlur::GaussianBlur(const Shape& kernel_size, const Numbers& sigma)
    : kernel_size_(to_size("GaussianBlur", kernel_size)) {
  for (const std::int64_t size : kernel_size_)
    if (size < 1 || size % 2 == 0)
      fail<ValueError>("GaussianBlur: kernel_size must be odd and positive: got {}", kernel_size);
  if (sigma.size() != 1 && sigma.size() != 2)
    fail<ValueError>("GaussianBlur: sigma must have one or two numbers: got {}", sigma.size());
  sigma_ = {sigma[0], sigma[sigma.size() - 1]};
  if (!(sigma_[0] > 0 && sigma_[0] <= sigma_[1]))
    fail<ValueError>("GaussianBlur: sigma must be positive and increasing: got ({}, {})", sigma_[0],
                     sigma_[1]);
}

Value GaussianBlur::make_params(const std::vector<Tensor>&, const Generator& generator) const {
  const double sigma = draw_uniform(sigma_[0], sigma_[1], generator);
  return Value::dict({{"sigma", Value::list({sigma, sigma})}});
}

Tensor GaussianBlur::transform(const Tensor& image, const Value& params) const {
  const Value sigma = params["sigma"];
  return functional::gaussian_blur(image, kernel_size_,
                                   {sigma[0].as_double(), sigma[1].as_double()});
}

Tensor GaussianNoise::transform(const Tensor& image, const Value&) const {
  return functional::gaussian_noise(image, options_.mean, options_.sigma, options_.clip);
}

std::vector<Tensor> GaussianNoise::forward(const std::vector<Tensor>& images,
                                           const TransformContext& context) const {
  std::vector<Tensor> results;
  for (const Tensor& image : images)
    results.push_back(functional::gaussian_noise(image, options_.mean, options_.sigma,
                                                 options_.clip, context.generator));
  return results;
}

LinearTransformation::LinearTransformation(Tensor transformation_matrix, Tensor mean_vector)
    : matrix_(std::move(transformation_matrix)), mean_(std::move(mean_vector)) {
  if (matrix_.dim() != 2 || matrix_.size(0) != matrix_.size(1) ||
      mean_.shape() != Shape{matrix_.size(0)})
    fail<ShapeError>(
        "LinearTransformation: expected a matrix (D, D) and a vector (D), got {} and {}",
        matrix_.shape(), mean_.shape());
  if (matrix_.dtype() != mean_.dtype())
    fail<DTypeError>("LinearTransformation: matrix and vector have different dtypes: {} and {}",
                     matrix_.dtype(), mean_.dtype());
}

Tensor LinearTransformation::transform(const Tensor& image, const Value&) const {
  check_image("LinearTransformation", image);
  const std::int64_t count = channels_of(image) * height_of(image) * width_of(image);
  if (count != matrix_.size(0))
    fail<ShapeError>("LinearTransformation: image of shape {} does not match a matrix {}",
                     image.shape(), matrix_.shape());
  const Tensor centered = to_batch(image).flatten(1) - mean_;
  return centered.mm(matrix_.to(centered.dtype())).reshape(image.shape());
}

RandomErasing::RandomErasing(RandomErasingOptions options)
    : ProbableTransform(options.p), options_(std::move(options)) {
  if (!(options_.scale[0] >= 0 && options_.scale[1] <= 1))
    fail<ValueError>("RandomErasing: scale must be in [0, 1]: got ({}, {})", options_.scale[0],
                     options_.scale[1]);
  check_ratio("RandomErasing", options_.ratio);
  if (const auto* text = std::get_if<std::string>(&options_.value); text && *text != "random")
    fail<ValueError>("RandomErasing: value must be numbers or 'random': got '{}'", *text);
}

Value RandomErasing::make_params(const std::vector<Tensor>& images,
                                 const Generator& generator) const {
  const Tensor& image = first_image("RandomErasing", images);
  const std::int64_t channels = channels_of(image), height = height_of(image),
                     width = width_of(image);
  const auto* const values = std::get_if<Numbers>(&options_.value);
  if (values && values->size() != 1 && static_cast<std::int64_t>(values->size()) != channels)
    fail<ValueError>("RandomErasing: expected one value, or one per channel, got {} for {}",
                     values->size(), channels);
  const auto to_params = [](std::int64_t i, std::int64_t j, std::int64_t h, std::int64_t w,
                            Value v) {
    return Value::dict({{"i", i}, {"j", j}, {"h", h}, {"w", w}, {"v", std::move(v)}});
  };
  for (int attempt = 0; attempt < 10; ++attempt) {
    const RandomArea area = draw_area(height * width, options_.scale, options_.ratio, generator);
    const std::int64_t h = area.times_ratio, w = area.over_ratio;
    if (!(h < height && w < width)) continue;
    const TensorOptions f32{.dtype = DType::f32};
    const Tensor v = values ? tensor(values->values(), f32).reshape({-1, 1, 1})
                            : empty({channels, h, w}, f32).normal_(0, 1, generator);
    const std::int64_t i = draw_integer(0, height - h + 1, generator);
    return to_params(i, draw_integer(0, width - w + 1, generator), h, w, v);
  }
  return to_params(0, 0, height, width, {});
}

Tensor RandomErasing::transform(const Tensor& image, const Value& params) const {
  const Value v = params["v"];
  if (v.is_none()) return image;
  return functional::erase(image, int_param(params, "i"), int_param(params, "j"),
                           int_param(params, "h"), int_param(params, "w"), v.as_tensor());
}

}  // namespace taper::data::transforms
