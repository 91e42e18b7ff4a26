#include "taper/metrics/segmentation.h"

#include <limits>

#include "core/check.h"

#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {
namespace {

/// Sizes `(N, C)` of the masks and of their intersections.
struct Sizes {
  Tensor intersection, preds, target;
};

Sizes sizes_of(const std::pair<Tensor, Tensor>& masks) {
  const auto& [p, t] = masks;
  const auto sum = [](const Tensor& mask) { return mask.flatten(2).sum({2}); };
  return {sum(p * t), sum(p), sum(t)};
}

bool is_binary(const Tensor& t) { return ((t == 0) | (t == 1)).all().item<bool>(); }

/// Returns masks of `num_classes` classes `(N, C, ...)` as i64. Scores select the class with the
/// largest one.
Tensor mask_of(std::string_view name, const Tensor& t, std::int64_t num_classes) {
  if (t.size(1) != num_classes)
    fail<ShapeError>("{}: got masks of shape {}, expected (N, {}, ...)", name, t.shape(),
                     num_classes);
  const bool binary = is_binary(t);
  if (!t.is_floating_point() || (num_classes == 1 && binary)) {
    if (!binary)
      fail<ValueError>("{}: masks must contain 0 and 1 only, got {}", name, t.abs().max().item());
    return t.to(DType::i64);
  }
  if (num_classes == 1)
    fail<ValueError>(
        "{}: a score of one class does not select a class: compare it with a threshold, as in "
        "preds > 0.5",
        name);
  if (binary && !(t.sum({1}) == 1).all().item<bool>())
    fail<ValueError>(
        "{}: floating-point masks are scores, of which the largest selects the class, but got 0 "
        "and 1 with several classes or none at one position: convert such masks to bool",
        name);
  return one_hot(t.argmax(1), num_classes).movedim(-1, 1);
}

}  // namespace

SegmentationMetric::SegmentationMetric(std::string_view name, std::int64_t num_classes,
                                       bool include_background, const std::string& input_format)
    : num_classes_(num_classes),
      include_background_(include_background),
      input_format_(input_format) {
  check_at_least(name, "num_classes", num_classes, 1);
  check_choice(name, "input_format", input_format, {"one-hot", "index", "mixed"});
}

std::int64_t SegmentationMetric::counted_classes() const {
  return include_background_ || num_classes_ == 1 ? num_classes_ : num_classes_ - 1;
}

std::pair<Tensor, Tensor> SegmentationMetric::masks(const Tensor& preds,
                                                    const Tensor& target) const {
  if (input_format_ == "mixed" ? preds.dim() != target.dim() + 1 && preds.dim() + 1 != target.dim()
                               : preds.shape() != target.shape())
    fail<ShapeError>(
        "{}: shapes of preds and target do not match for the input format '{}': got {} and {}",
        type_name(), input_format_, preds.shape(), target.shape());
  const auto mask = [&](const Tensor& t, bool is_index) {
    if (t.dim() < (is_index ? 2 : 3))
      fail<ShapeError>("{}: got a tensor of shape {}, expected {}", type_name(), t.shape(),
                       is_index ? "(N, H, ...)" : "(N, C, H, ...)");
    if (!is_index) return mask_of(type_name(), t, num_classes_);
    if (t.is_floating_point())
      fail<DTypeError>("{}: labels must be integers, got {}", type_name(), t.dtype());
    check_labels(type_name(), "labels", t, num_classes_);
    return one_hot(t, num_classes_).movedim(-1, 1);
  };
  const bool is_mixed = input_format_ == "mixed", is_index = input_format_ == "index";
  Tensor p = mask(preds, is_index || (is_mixed && preds.dim() < target.dim()));
  Tensor t = mask(target, is_index || (is_mixed && target.dim() < preds.dim()));
  if (p.shape() != t.shape())
    fail<ShapeError>("{}: shapes of preds and target do not fit: {} and {}", type_name(),
                     preds.shape(), target.shape());
  const std::int64_t first = num_classes_ - counted_classes();
  return {p.narrow(1, first, counted_classes()), t.narrow(1, first, counted_classes())};
}

MeanIoU::MeanIoU(IntArg num_classes, const MeanIoUOptions& options)
    : SegmentationMetric("MeanIoU", num_classes, options.include_background, options.input_format),
      per_class_(options.per_class) {
  const Shape shape = per_class_ ? Shape{counted_classes()} : Shape{};
  add_state("score", zeros(shape));
  add_state("num_batches", zeros(shape));
}

void MeanIoU::update_state(const Tensor& preds, const Tensor& target) {
  const Sizes sizes = sizes_of(masks(preds, target));
  const Tensor union_size = sizes.target + sizes.preds - sizes.intersection;
  const Tensor score = safe_divide(sizes.intersection, union_size);
  const Tensor occurs = union_size > 0;
  accumulate("score", per_class_ ? score.sum(Dims{0}) : score.sum());
  accumulate("num_batches", per_class_ ? occurs.sum(Dims{0}) : occurs.sum());
}

Tensor MeanIoU::compute_score() const {
  const Tensor score = state("score") / state("num_batches");
  return per_class_ ? score.nan_to_num(-1) : score;
}

DiceScore::DiceScore(IntArg num_classes, const DiceScoreOptions& options)
    : SegmentationMetric("DiceScore", num_classes, options.include_background,
                         options.input_format),
      options_(options) {
  check_choice(type_name(), "average", options.average, {"micro", "macro", "weighted", "none"});
  check_choice(type_name(), "aggregation_level", options.aggregation_level,
               {"samplewise", "global"});
  for (const char* name : {"numerator", "denominator", "support"}) add_list(name);
}

void DiceScore::update_state(const Tensor& preds, const Tensor& target) {
  const Sizes sizes = sizes_of(masks(preds, target));
  append("numerator", 2 * sizes.intersection);
  append("denominator", sizes.preds + sizes.target);
  append("support", sizes.target);
}

Tensor DiceScore::compute_score() const {
  Tensor numerator = concatenated("numerator"), denominator = concatenated("denominator");
  Tensor support = concatenated("support");
  if (options_.aggregation_level == "global")
    for (Tensor* t : {&numerator, &denominator, &support}) *t = t->sum(Dims{0}, true);
  if (options_.average == "micro")
    return quotient(numerator.sum({-1}), denominator.sum({-1})).nanmean(Dims{0});
  Tensor dice = quotient(numerator, denominator);
  if (options_.average == "macro") dice = dice.nanmean(Dims{-1});
  if (options_.average == "weighted") {
    const Tensor is_missing = dice.isnan().all({-1});
    dice = (dice * quotient(support, support.sum({-1}, true)))
               .nansum(Dims{-1})
               .masked_fill(is_missing, std::numeric_limits<double>::quiet_NaN());
  }
  return dice.nanmean(Dims{0});
}

GeneralizedDiceScore::GeneralizedDiceScore(IntArg num_classes,
                                           const GeneralizedDiceScoreOptions& options)
    : SegmentationMetric("GeneralizedDiceScore", num_classes, options.include_background,
                         options.input_format),
      options_(options) {
  check_choice(type_name(), "weight_type", options.weight_type, {"square", "simple", "linear"});
  add_state("score", zeros(options.per_class ? Shape{counted_classes()} : Shape{}));
  add_state("samples", zeros({}));
}

void GeneralizedDiceScore::update_state(const Tensor& preds, const Tensor& target) {
  const Sizes sizes = sizes_of(masks(preds, target));
  const std::int64_t samples = sizes.target.size(0);
  if (samples == 0) return;
  Tensor weights = ones_like(sizes.target).to(DType::f32);
  if (options_.weight_type != "linear") {
    const Tensor n = sizes.target.to(DType::f32);
    weights = options_.weight_type == "simple" ? 1 / n : 1 / n.square();
    const Tensor is_missing = weights.isinf();
    weights = weights.masked_fill(is_missing, 0);
    // Classes without targets have the largest weight of the class in the batch. torchmetrics
    // reads the table of these weights, one row per class, in the order of the samples.
    const Tensor largest = weights.amax(Dims{0})
                               .unsqueeze(1)
                               .expand({weights.size(1), samples})
                               .reshape(weights.shape());
    weights = largest.where(is_missing, weights);
  }
  Tensor numerator = 2.0 * sizes.intersection * weights;
  Tensor denominator = (sizes.target + sizes.preds) * weights;
  if (!options_.per_class) {
    numerator = numerator.sum({1});
    denominator = denominator.sum({1});
  }
  accumulate("score", safe_divide(numerator, denominator).sum(Dims{0}));
  accumulate("samples", full({}, samples));
}

Tensor GeneralizedDiceScore::compute_score() const { return state("score") / state("samples"); }

}  // namespace taper::metrics
