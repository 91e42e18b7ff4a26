#include "taper/nn/distance.h"

#include <cmath>

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(CosineSimilarity)
TAPER_LAYER_MEMBERS(PairwiseDistance)
TAPER_LAYER_MEMBERS(Bilinear, weight, bias)

Tensor CosineSimilarity::forward(const Tensor& x1, const Tensor& x2) const {
  return functional::cosine_similarity(called(x1), x2, *this);
}
Tensor PairwiseDistance::forward(const Tensor& x1, const Tensor& x2) const {
  return functional::pairwise_distance(called(x1), x2, {.p = norm, .eps = eps, .keepdim = keepdim});
}

namespace {

Tensor bilinear_weight(std::int64_t in1, std::int64_t in2, std::int64_t out,
                       const BilinearOptions& o) {
  if (in1 <= 0) fail<ValueError>("in1_features must be > 0, but got (in1_features={})", in1);
  if (in2 < 0 || out < 0)
    fail<ValueError>("Bilinear: in2_features and out_features must not be negative, got {} and {}",
                     in2, out);
  return empty({out, in1, in2}, tensor_options(o));
}

}  // namespace

Bilinear::Bilinear(IntArg in1, IntArg in2, IntArg out, const BilinearOptions& o)
    : in1_features(in1),
      in2_features(in2),
      out_features(out),
      weight(bilinear_weight(in1, in2, out, o)) {
  if (o.bias) bias.emplace(empty({out_features}, tensor_options(o)));
  reset_parameters();
}

void Bilinear::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(in1_features));
  init::uniform_(weight, -bound, bound);
  if (bias) init::uniform_(*bias, -bound, bound);
}

Tensor Bilinear::forward(const Tensor& input1, const Tensor& input2) const {
  return functional::bilinear(called(input1), input2, weight, {.bias = bias});
}

std::string Bilinear::extra_repr() const {
  return "in1_features=" + std::to_string(in1_features) +
         ", in2_features=" + std::to_string(in2_features) +
         ", out_features=" + std::to_string(out_features) +
         ", bias=" + python_text(bias.has_value());
}

TAPER_OPTIONS_SCHEMA(CosineSimilarity, "distance")
static PairwiseDistanceOptions stored_options(const PairwiseDistance& m) {
  return {.p = m.norm, .eps = m.eps, .keepdim = m.keepdim};
}
TAPER_OPTIONS_SCHEMA(PairwiseDistance, "distance")
TAPER_OPTIONS_SCHEMA(Bilinear, "linear", in1_features, in2_features, out_features)

}  // namespace taper::nn
