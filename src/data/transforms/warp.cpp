#include "taper/data/transforms/warp.h"

#include "data/transforms/draw.h"
#include "taper/data/transforms/functional/misc.h"

namespace taper::data::transforms {
namespace {

/// Returns a range, or (-a, a) for one number. Throws ValueError for a negative number or another
/// count.
Numbers to_range(const char* name, const Numbers& values, bool accepts_four = false) {
  if (values.size() == 1) {
    if (!(values[0] >= 0))
      fail<ValueError>("{}: a single number must not be negative: got {}", name, values[0]);
    return {-values[0], values[0]};
  }
  if (values.size() != 2 && !(accepts_four && values.size() == 4))
    fail<ValueError>("{}: expected one number or a range, got {} numbers", name, values.size());
  return values;
}

std::array<double, 2> angle_range(const char* name, const Numbers& degrees) {
  const Numbers range = to_range(name, degrees);
  return {range[0], range[1]};
}

void check_center(const char* name, const Numbers& center) {
  if (!center.empty() && center.size() != 2)
    fail<ValueError>("{}: center must have two numbers (x, y): got {}", name, center.size());
}

}  // namespace

RandomRotation::RandomRotation(const Numbers& degrees, RandomRotationOptions options)
    : degrees_(angle_range("RandomRotation: degrees", degrees)), options_(std::move(options)) {
  check_center("RandomRotation", options_.center);
}

Value RandomRotation::make_params(const std::vector<Tensor>&, const Generator& generator) const {
  return Value::dict({{"angle", draw_uniform(degrees_[0], degrees_[1], generator)}});
}

Tensor RandomRotation::transform(const Tensor& image, const Value& params) const {
  return functional::rotate(image, params["angle"].as_double(),
                            {.interpolation = options_.interpolation,
                             .expand = options_.expand,
                             .center = options_.center,
                             .fill = options_.fill});
}

RandomAffine::RandomAffine(const Numbers& degrees, RandomAffineOptions options)
    : degrees_(angle_range("RandomAffine: degrees", degrees)), options_(std::move(options)) {
  for (const double share : options_.translate.value_or(std::array<double, 2>{}))
    if (!(share >= 0 && share <= 1))
      fail<ValueError>("RandomAffine: translate must be in [0, 1]: got {}", share);
  for (const double scale : options_.scale.value_or(std::array<double, 2>{1, 1}))
    if (!(scale > 0)) fail<ValueError>("RandomAffine: scale must be positive: got {}", scale);
  if (!options_.shear.empty())
    options_.shear = to_range("RandomAffine: shear", options_.shear, true);
  check_center("RandomAffine", options_.center);
}

Value RandomAffine::make_params(const std::vector<Tensor>& images,
                                const Generator& generator) const {
  const Tensor& image = first_image("RandomAffine", images);
  const double angle = draw_uniform(degrees_[0], degrees_[1], generator);
  Shape translate{0, 0};
  if (options_.translate)
    for (std::size_t d = 0; d < 2; ++d) {
      const double max = (*options_.translate)[d] *
                         static_cast<double>(d == 0 ? width_of(image) : height_of(image));
      translate[d] = round_to_integer(draw_uniform(-max, max, generator));
    }
  double scale = 1;
  if (options_.scale) scale = draw_uniform((*options_.scale)[0], (*options_.scale)[1], generator);
  double shear[2] = {0, 0};
  for (std::size_t d = 0; 2 * d < options_.shear.size(); ++d)
    shear[d] = draw_uniform(options_.shear[2 * d], options_.shear[2 * d + 1], generator);
  return Value::dict({{"angle", angle},
                      {"translate", list_of(translate)},
                      {"scale", scale},
                      {"shear", Value::list({shear[0], shear[1]})}});
}

Tensor RandomAffine::transform(const Tensor& image, const Value& params) const {
  const Value translate = params["translate"], shear = params["shear"];
  return functional::affine(
      image,
      {.angle = params["angle"].as_double(),
       .translate = {translate[0].as_double(), translate[1].as_double()},
       .scale = params["scale"].as_double(),
       .shear = {shear[0].as_double(), shear[1].as_double()}},
      {.interpolation = options_.interpolation, .fill = options_.fill, .center = options_.center});
}

RandomPerspective::RandomPerspective(RandomPerspectiveOptions options)
    : ProbableTransform(options.p), options_(std::move(options)) {
  if (!(options_.distortion_scale >= 0 && options_.distortion_scale <= 1))
    fail<ValueError>("RandomPerspective: distortion_scale must be in [0, 1]: got {}",
                     options_.distortion_scale);
}

Value RandomPerspective::make_params(const std::vector<Tensor>& images,
                                     const Generator& generator) const {
  const Tensor& image = first_image("RandomPerspective", images);
  const std::int64_t size[2] = {width_of(image), height_of(image)};
  Corners start, end;
  for (const auto& [right, bottom] : {std::pair(0, 0), {1, 0}, {1, 1}, {0, 1}}) {
    const bool at_end[2] = {right == 1, bottom == 1};
    std::array<std::int64_t, 2> from{}, to{};
    for (std::size_t d = 0; d < 2; ++d) {
      const std::int64_t bound =
          static_cast<std::int64_t>(options_.distortion_scale * static_cast<double>(size[d] / 2)) +
          1;
      from[d] = at_end[d] ? size[d] - 1 : 0;
      to[d] = at_end[d] ? draw_integer(size[d] - bound, size[d], generator)
                        : draw_integer(0, bound, generator);
    }
    start.push_back(from), end.push_back(to);
  }
  Values coefficients;
  for (const double c : functional::perspective_coefficients(start, end)) coefficients.push_back(c);
  return Value::dict({{"coefficients", Value::list(std::move(coefficients))}});
}

Tensor RandomPerspective::transform(const Tensor& image, const Value& params) const {
  std::vector<double> coefficients;
  const Value list = params["coefficients"];
  for (const Value& c : list.as_sequence()) coefficients.push_back(c.as_double());
  return functional::perspective(image, coefficients,
                                 {.interpolation = options_.interpolation, .fill = options_.fill});
}

ElasticTransform::ElasticTransform(ElasticTransformOptions options) : options_(std::move(options)) {
  for (Numbers* const both : {&options_.alpha, &options_.sigma}) {
    if (both->size() != 1 && both->size() != 2)
      fail<ValueError>("ElasticTransform: alpha and sigma must have one or two numbers: got {}",
                       both->size());
    if (both->size() == 1) *both = Numbers{(*both)[0], (*both)[0]};
  }
}

Value ElasticTransform::make_params(const std::vector<Tensor>& images,
                                    const Generator& generator) const {
  const Tensor& image = first_image("ElasticTransform", images);
  const std::int64_t size[2] = {width_of(image), height_of(image)};
  std::vector<Tensor> displacement;
  for (std::size_t d = 0; d < 2; ++d) {
    Tensor field = rand({1, 1, size[1], size[0]}, {.dtype = DType::f32}, generator) * 2 - 1;
    if (const double sigma = options_.sigma[d]; sigma > 0) {
      const auto kernel = truncate_to_integer(8 * sigma + 1) | 1;
      field = functional::gaussian_blur(field, {kernel, kernel}, options_.sigma);
    }
    displacement.push_back(field * options_.alpha[d] / static_cast<double>(size[d]));
  }
  return Value::dict({{"displacement", cat(displacement, 1).permute({0, 2, 3, 1})}});
}

Tensor ElasticTransform::transform(const Tensor& image, const Value& params) const {
  const Value displacement = params["displacement"];
  return functional::elastic(image, displacement.as_tensor(),
                             {.interpolation = options_.interpolation, .fill = options_.fill});
}

}  // namespace taper::data::transforms
