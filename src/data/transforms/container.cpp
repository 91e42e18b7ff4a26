#include "taper/data/transforms/container.h"

#include <cmath>
#include <numeric>

#include "data/transforms/draw.h"

namespace taper::data::transforms {

TransformList::TransformList(const std::string& name, std::vector<AnyTransform> transforms)
    : transforms_(std::move(transforms)) {
  if (transforms_.empty()) fail<ValueError>("{}: expected at least one transform", name);
}

std::vector<Tensor> TransformList::apply_all(std::vector<Tensor> images,
                                             const TransformContext& context) const {
  for (const AnyTransform& one : transforms_) images = one->forward(images, context);
  return images;
}

Compose::Compose(std::vector<AnyTransform> transforms)
    : TransformList("Compose", std::move(transforms)) {}
std::vector<Tensor> Compose::forward(const std::vector<Tensor>& images,
                                     const TransformContext& context) const {
  return apply_all(images, context);
}

RandomApply::RandomApply(std::vector<AnyTransform> transforms, double p)
    : TransformList("RandomApply", std::move(transforms)), p_(p) {
  check_probability("RandomApply", p);
}
std::vector<Tensor> RandomApply::forward(const std::vector<Tensor>& images,
                                         const TransformContext& context) const {
  return draw_bool(p_, context.generator) ? apply_all(images, context) : images;
}

RandomChoice::RandomChoice(std::vector<AnyTransform> transforms, std::vector<double> p)
    : TransformList("RandomChoice", std::move(transforms)) {
  if (p.empty()) p.assign(this->transforms().size(), 1);
  if (p.size() != this->transforms().size())
    fail<ValueError>("RandomChoice: got {} weights for {} transforms", p.size(),
                     this->transforms().size());
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (const double weight : p)
    if (!(weight >= 0 && total > 0 && std::isfinite(total)))
      fail<ValueError>("RandomChoice: weights must be non-negative with a positive sum: got {}",
                       weight);
  for (double& weight : p) weight /= total;
  probabilities_ = tensor(p, {.dtype = DType::f32});
}
std::vector<Tensor> RandomChoice::forward(const std::vector<Tensor>& images,
                                          const TransformContext& context) const {
  const auto chosen = multinomial(probabilities_, 1, false, context.generator).item<std::int64_t>();
  return transforms()[static_cast<std::size_t>(chosen)]->forward(images, context);
}

RandomOrder::RandomOrder(std::vector<AnyTransform> transforms)
    : TransformList("RandomOrder", std::move(transforms)) {}
std::vector<Tensor> RandomOrder::forward(const std::vector<Tensor>& images,
                                         const TransformContext& context) const {
  const Tensor order =
      randperm(static_cast<std::int64_t>(transforms().size()), {}, context.generator);
  std::vector<Tensor> results = images;
  for (const std::int64_t i : order.data<std::int64_t>())
    results = transforms()[static_cast<std::size_t>(i)]->forward(results, context);
  return results;
}

Tensor Lambda::transform(const Tensor& image, const Value&) const { return function_(image); }

}  // namespace taper::data::transforms
