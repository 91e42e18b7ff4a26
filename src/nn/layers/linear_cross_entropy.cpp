#include "taper/nn/linear_cross_entropy.h"

#include "core/check.h"
#include "nn/layers/loss_options.h"
#include "nn/layers/text.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(LinearCrossEntropyLoss, weight, linear)

namespace {

std::int64_t score_count(std::int64_t classes, const LinearCrossEntropyLossOptions& o) {
  if (o.weight && !(o.weight->shape() == Shape{classes}))
    fail<ShapeError>("LinearCrossEntropyLoss: expected weight shape to be {}, got {}",
                     Shape{classes}, o.weight->shape());
  if (!(o.label_smoothing >= 0 && o.label_smoothing <= 1))
    fail<ValueError>(
        "LinearCrossEntropyLoss: expected label_smoothing to be in range [0, 1], got {}",
        python_repr(o.label_smoothing));
  Shape scores = o.out_features;
  scores.insert(0, classes);
  for (const std::int64_t size : scores)
    if (size < 0)
      fail<ValueError>("LinearCrossEntropyLoss: sizes must not be negative, got {} classes and {}",
                       classes, o.out_features);
  return scores.numel();
}

}  // namespace

LinearCrossEntropyLoss::LinearCrossEntropyLoss(IntArg in_features, IntArg classes,
                                               const LinearCrossEntropyLossOptions& o)
    : weight(to_buffer(o.weight)),
      reduction(o.reduction),
      num_classes(classes),
      out_features(o.out_features),
      ignore_index(o.ignore_index),
      label_smoothing(o.label_smoothing),
      linear(in_features, score_count(classes, o),
             {.bias = o.bias, .dtype = o.dtype, .device = o.device}) {}

Tensor LinearCrossEntropyLoss::forward(const Tensor& input, const Tensor& target) const {
  check_called();
  Shape shape = out_features;
  shape.insert(0, num_classes);
  functional::LinearCrossEntropyFuncOptions o{
      .weight = weight, .reduction = reduction, .label_smoothing = label_smoothing};
  if (linear.bias) o.linear_bias = linear.bias->reshape(shape);
  if (ignore_index) o.ignore_index = *ignore_index;
  shape.push_back(linear.in_features);
  return functional::linear_cross_entropy(input, linear.weight.reshape(shape), target, o);
}

std::string LinearCrossEntropyLoss::extra_repr() const {
  return "in_features=" + std::to_string(linear.in_features) +
         ", num_classes=" + std::to_string(num_classes) +
         ", out_features=" + tuple_text(out_features) +
         ", bias=" + python_text(linear.bias.has_value()) + ", reduction=" + reduction +
         ", ignore_index=" + (ignore_index ? std::to_string(*ignore_index) : "None") +
         ", label_smoothing=" + python_text(label_smoothing) + ", options=None";
}

const ModuleSchema& module_schema(const LinearCrossEntropyLoss*) {
  static constexpr ModuleSchema schema = layer_schema<LinearCrossEntropyLoss>(
      "LinearCrossEntropyLoss", "loss",
      "in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None, "
      "reduction='mean', weight=None, ignore_index=None, label_smoothing=0.0, options=None",
      [](const Arguments& a) {
        if (!a["options"].is_none()) a.reject("options", "None");
        return LinearCrossEntropyLoss(a.integer("in_features"), a.integer("num_classes"),
                                      {.out_features = a.sizes("out_features"),
                                       .bias = a.flag("bias"),
                                       .reduction = a.string("reduction"),
                                       .weight = a.tensor("weight"),
                                       .ignore_index = a.optional_integer("ignore_index"),
                                       .label_smoothing = a.number("label_smoothing"),
                                       .dtype = a.dtype(),
                                       .device = a.device()});
      },
      [](const LinearCrossEntropyLoss& m) -> Values {
        Values sizes(m.out_features.begin(), m.out_features.end());
        return {m.linear.in_features,
                m.num_classes,
                Value::tuple(std::move(sizes)),
                m.linear.bias.has_value(),
                m.linear.weight.device(),
                m.linear.weight.dtype(),
                m.reduction,
                ArgumentForm<std::optional<Buffer>>::value(m.weight, false),
                m.ignore_index ? Value(*m.ignore_index) : Value(),
                m.label_smoothing,
                {}};
      });
  return schema;
}

}  // namespace taper::nn
