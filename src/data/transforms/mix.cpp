#include "taper/data/transforms/mix.h"

#include <algorithm>
#include <cmath>

#include "data/transforms/draw.h"
#include "taper/nn/functional/embedding.h"
#include "taper/ops/gamma.h"

namespace taper::data::transforms {
namespace {

/// Returns weight * x + (1 - weight) * (the element before it along dimension 0).
Tensor mix(const Tensor& x, double weight) { return (x.roll(1, 0) * (1 - weight)) + x * weight; }

void check_dtype(const Tensor& images) {
  if (!images.is_floating_point())
    fail<DTypeError>("MixUp: expected floating-point images, got {}", images.dtype());
}

}  // namespace

MixTransform::MixTransform(std::string name, MixOptions options)
    : name_(std::move(name)), options_(options) {
  if (!(options_.alpha > 0))
    fail<ValueError>("{}: alpha must be positive: got {}", name_, options_.alpha);
}

double MixTransform::draw_weight(const Generator& generator) const {
  const Tensor concentration =
      tensor(std::vector<double>{options_.alpha, options_.alpha}, {.dtype = DType::f32});
  return sample_dirichlet(concentration, generator)[0].item<float>();
}

std::pair<Tensor, Tensor> MixTransform::operator()(const Tensor& images, const Tensor& labels,
                                                   const TransformContext& context) const {
  if (!labels.defined() || (labels.dim() != 1 && labels.dim() != 2))
    fail<ValueError>("{}: expected labels of shape (N) or (N, num_classes), got {}", name_,
                     labels.defined() ? labels.shape().str() : "an undefined tensor");
  if (labels.dim() == 1 && !options_.num_classes)
    fail<ValueError>("{}: num_classes is required if labels are indices", name_);
  if (labels.dim() == 2 && options_.num_classes && labels.size(1) != *options_.num_classes)
    fail<ValueError>("{}: labels of shape {} do not match num_classes {}", name_, labels.shape(),
                     *options_.num_classes);
  if (!images.defined() || images.dim() != 4 || images.size(0) != labels.size(0))
    fail<ValueError>("{}: expected images of shape (N, C, H, W) for labels of shape {}, got {}",
                     name_, labels.shape(),
                     images.defined() ? images.shape().str() : "an undefined tensor");
  const Tensor shares = probabilities(labels);  // rejects invalid labels before numbers are drawn
  const Value params = make_params(images, context.generator);
  if (context.on_params) context.on_params(name_, params);
  return {transform(images, params), mix(shares, label_weight(params))};
}

Tensor MixTransform::probabilities(const Tensor& labels) const {
  const Tensor shares = labels.dim() == 1
                            ? nn::functional::one_hot(labels, options_.num_classes.value_or(-1))
                            : labels;
  return shares.is_floating_point() ? shares : shares.to(DType::f32);
}

Tensor MixTransform::transform_labels(const Tensor& labels, const Value& params) const {
  return mix(probabilities(labels), label_weight(params));
}

Value MixUp::make_params(const Tensor& images, const Generator& generator) const {
  check_dtype(images);
  return Value::dict({{"lam", draw_weight(generator)}});
}
Tensor MixUp::transform(const Tensor& images, const Value& params) const {
  check_dtype(images);
  return mix(images, params["lam"].as_double());
}
double MixUp::label_weight(const Value& params) const { return params["lam"].as_double(); }

Value CutMix::make_params(const Tensor& images, const Generator& generator) const {
  const std::int64_t height = height_of(images), width = width_of(images);
  const double half = 0.5 * std::sqrt(1 - draw_weight(generator));
  std::int64_t low[2] = {}, high[2] = {};
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t size = d == 0 ? width : height;
    const std::int64_t center = draw_integer(0, size, generator);
    const auto reach = static_cast<std::int64_t>(half * static_cast<double>(size));
    low[d] = std::max<std::int64_t>(center - reach, 0);
    high[d] = std::min(center + reach, size);
  }
  const double share = static_cast<double>((high[0] - low[0]) * (high[1] - low[1])) /
                       static_cast<double>(width * height);
  return Value::dict(
      {{"box", list_of({low[0], low[1], high[0], high[1]})}, {"lam_adjusted", 1 - share}});
}

Tensor CutMix::transform(const Tensor& images, const Value& params) const {
  const Shape box = shape_param(params, "box");
  if (box.size() != 4)
    fail<ValueError>("CutMix: box must have four numbers (left, top, right, bottom): got {}", box);
  const auto part = [&](const Tensor& x) {
    return x.narrow(-2, box[1], box[3] - box[1]).narrow(-1, box[0], box[2] - box[0]);
  };
  const Tensor result = images.clone();
  part(result).copy_(part(images.roll(1, 0)));
  return result;
}
double CutMix::label_weight(const Value& params) const {
  return params["lam_adjusted"].as_double();
}

}  // namespace taper::data::transforms
