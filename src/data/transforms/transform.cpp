#include "taper/data/transforms/transform.h"

#include "data/transforms/draw.h"
#include "taper/core/dict.h"

namespace taper::data::transforms {

Value Transform::make_params(const std::vector<Tensor>&, const Generator&) const {
  return Value::dict();
}

Tensor Transform::transform(const Tensor&, const Value&) const {
  fail<NotImplementedError>("{} does not transform a single image: call forward", name());
}

std::vector<Tensor> Transform::apply(const std::vector<Tensor>& images,
                                     const TransformContext& context) const {
  const Value params = make_params(images, context.generator);
  if (context.on_params && params.size() > 0) context.on_params(name(), params);
  std::vector<Tensor> results;
  results.reserve(images.size());
  for (const Tensor& image : images) results.push_back(transform(image, params));
  return results;
}

std::vector<Tensor> Transform::forward(const std::vector<Tensor>& images,
                                       const TransformContext& context) const {
  return apply(images, context);
}

Tensor Transform::operator()(const Tensor& image, const TransformContext& context) const {
  std::vector<Tensor> results = forward({image}, context);
  if (results.size() != 1)
    fail<ValueError>("{} returns {} images: call forward", name(), results.size());
  return std::move(results[0]);
}

ProbableTransform::ProbableTransform(double p) : p_(p) { check_probability("transform", p); }

std::vector<Tensor> ProbableTransform::forward(const std::vector<Tensor>& images,
                                               const TransformContext& context) const {
  return draw_bool(p_, context.generator) ? apply(images, context) : images;
}

AnyTransform::AnyTransform(std::shared_ptr<const Transform> transform)
    : transform_(std::move(transform)) {
  if (!transform_) fail<ValueError>("AnyTransform: the transform is null");
}

void check_probability(std::string_view name, double p) {
  if (!(p >= 0 && p <= 1)) fail<ValueError>("{}: p must be in [0, 1]: got {}", name, p);
}

const Tensor& first_image(std::string_view name, const std::vector<Tensor>& images) {
  if (images.empty()) fail<ValueError>("{}: expected at least one image", name);
  check_image(name, images[0]);
  return images[0];
}

Value list_of(const Shape& values) { return Value::list({values.begin(), values.end()}); }

}  // namespace taper::data::transforms
