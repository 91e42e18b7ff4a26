#include "taper/nn/margin_loss.h"

#include "core/check.h"
#include "nn/layers/loss_options.h"
#include "nn/layers/options.h"
#include "taper/nn/distance.h"
#include "taper/nn/module_value.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(HingeEmbeddingLoss)
TAPER_LAYER_MEMBERS(MarginRankingLoss)
TAPER_LAYER_MEMBERS(CosineEmbeddingLoss)
TAPER_LAYER_MEMBERS(MultiLabelMarginLoss)
TAPER_LAYER_MEMBERS(MultiLabelSoftMarginLoss, weight)
TAPER_LAYER_MEMBERS(MultiMarginLoss, weight)
TAPER_LAYER_MEMBERS(TripletMarginLoss)

// In PyTorch, a function is a plain attribute.
TAPER_DETAIL_LAYER_CLASS(TripletMarginWithDistanceLoss) {
  if (distance_function) detail::visit(visitor, "distance_function", distance_function);
}
Tensor TripletMarginWithDistanceLoss::call_tensor(const Tensor& x) {
  return detail::call_with_tensor(*this, x);
}
Value TripletMarginWithDistanceLoss::forward_values(Values& args) {
  return detail::forward_erased(*this, args);
}

namespace {

void check_margin(double margin, std::string_view name) {
  if (!(margin > 0))
    fail<ValueError>("{}: expected margin to be greater than 0, got {} instead", name,
                     python_repr(margin));
}

}  // namespace

MultiLabelSoftMarginLoss::MultiLabelSoftMarginLoss(const MultiLabelSoftMarginLossOptions& o)
    : weight(to_buffer(o.weight)), reduction(o.reduction) {}

MultiMarginLoss::MultiMarginLoss(const MultiMarginLossOptions& o)
    : weight(to_buffer(o.weight)), reduction(o.reduction), p(o.p), margin(o.margin) {
  if (p != 1 && p != 2)
    fail<ValueError>("MultiMarginLoss: only p == 1 and p == 2 supported, got {}", p);
  if (weight && weight->dim() != 1)
    fail<ValueError>("MultiMarginLoss: expected weight to be None or 1D tensor, got {}D instead",
                     weight->dim());
}

TripletMarginLoss::TripletMarginLoss(const TripletMarginLossOptions& o) : Layer(o) {
  check_margin(margin, "TripletMarginLoss");
}

TripletMarginWithDistanceLoss::TripletMarginWithDistanceLoss(
    const TripletMarginWithDistanceLossOptions& o)
    : reduction(o.reduction), function(o.distance_function), margin(o.margin), swap(o.swap) {
  check_margin(margin, "TripletMarginWithDistanceLoss");
  if (!function)
    distance_function =
        o.distance_module ? o.distance_module : std::make_shared<PairwiseDistance>();
}

Tensor HingeEmbeddingLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::hinge_embedding_loss(called(input), target, *this);
}
Tensor MarginRankingLoss::forward(const Tensor& input1, const Tensor& input2,
                                  const Tensor& target) const {
  return functional::margin_ranking_loss(called(input1), input2, target, *this);
}
Tensor CosineEmbeddingLoss::forward(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target) const {
  return functional::cosine_embedding_loss(called(input1), input2, target, *this);
}
Tensor MultiLabelMarginLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::multilabel_margin_loss(called(input), target, *this);
}
Tensor MultiLabelSoftMarginLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::multilabel_soft_margin_loss(called(input), target,
                                                 {.weight = weight, .reduction = reduction});
}
Tensor MultiMarginLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::multi_margin_loss(
      called(input), target, {.p = p, .margin = margin, .weight = weight, .reduction = reduction});
}
Tensor TripletMarginLoss::forward(const Tensor& anchor, const Tensor& positive,
                                  const Tensor& negative) const {
  return functional::triplet_margin_loss(called(anchor), positive, negative, *this);
}
Tensor TripletMarginWithDistanceLoss::forward(const Tensor& anchor, const Tensor& positive,
                                              const Tensor& negative) const {
  check_called();
  const auto by_module = [this](const Tensor& x1, const Tensor& x2) {
    return distance_function->call({x1, x2}).as_tensor();
  };
  return functional::triplet_margin_with_distance_loss(
      anchor, positive, negative,
      {.distance_function = distance_function ? functional::DistanceFunction(by_module) : function,
       .margin = margin,
       .swap = swap,
       .reduction = reduction});
}

TAPER_LOSS_SCHEMA(HingeEmbeddingLoss, "margin, size_average, reduce, reduction")
TAPER_LOSS_SCHEMA(MarginRankingLoss, "margin, size_average, reduce, reduction")
TAPER_LOSS_SCHEMA(CosineEmbeddingLoss, "margin, size_average, reduce, reduction")
TAPER_LOSS_SCHEMA(MultiLabelMarginLoss, "size_average, reduce, reduction")
TAPER_LOSS_SCHEMA(MultiLabelSoftMarginLoss, "weight, size_average, reduce, reduction")
TAPER_LOSS_SCHEMA(MultiMarginLoss, "p, margin, weight, size_average, reduce, reduction")
TAPER_LOSS_SCHEMA(TripletMarginLoss, "margin, p, eps, swap, size_average, reduce, reduction")
const ModuleSchema& module_schema(const TripletMarginWithDistanceLoss*) {
  static constexpr ModuleSchema schema = layer_schema<TripletMarginWithDistanceLoss>(
      "TripletMarginWithDistanceLoss", "loss",
      "*, distance_function=None, margin=1.0, swap=False, reduction='mean'",
      [](const Arguments& a) {
        return TripletMarginWithDistanceLoss(
            {.distance_module = module_argument(a, "distance_function"),
             .margin = a.number("margin"),
             .swap = a.flag("swap"),
             .reduction = a.string("reduction")});
      },
      [](const TripletMarginWithDistanceLoss& m) -> Values {
        if (!m.distance_function)
          fail<NotImplementedError>(
              "TripletMarginWithDistanceLoss: a distance function of C++ cannot be described; use "
              "a module");
        return {value_of(m.distance_function), m.margin, m.swap, m.reduction};
      });
  return schema;
}

}  // namespace taper::nn
