#include "ops/loss/cross_entropy_loss.h"
#include "ops/samples.h"

namespace taper {
namespace {

TensorSpec class_indices(Shape shape, int count) {
  return TensorSpec(std::move(shape), 0, count, DType::i64);
}
// As in PyTorch, the weights are not differentiated.
TensorSpec class_weights(std::int64_t count) { return TensorSpec({count}, 0.5, 2).as_constant(); }

}  // namespace

TAPER_DEFINE_SAMPLES(cross_entropy_loss) {
  using O = CrossEntropyLoss;
  return {sample<O>({{3}, class_indices({}, 3), TensorSpec::none()}),
          sample<O>({{16, 10}, class_indices({16}, 10), TensorSpec::none()}),
          sample<O>({{7, 40}, class_indices({7}, 40), TensorSpec::none()},
                    {.reduction = "sum", .ignore_index = 1}),
          sample<O>({{7, 4}, class_indices({7}, 4), TensorSpec::none()},
                    {.reduction = "none", .ignore_index = 1}),
          sample<O>({{7, 4}, class_indices({7}, 4), class_weights(4)}, {.ignore_index = 0}),
          sample<O>({{3, 2500}, class_indices({3}, 2500), TensorSpec::none()})};
}

TAPER_DEFINE_SAMPLES(cross_entropy_loss_backward) {
  using O = CrossEntropyLossBackward;
  const TensorSpec total = TensorSpec(Shape{}, 1, 2), none = TensorSpec::none();
  return {sample<O>({Shape{}, {3}, class_indices({}, 3), none, total, Shape{}, Shape{}}),
          sample<O>({{7}, {7, 40}, class_indices({7}, 40), none, total, {7}, {7}},
                    {.reduction = "none", .ignore_index = 1}),
          sample<O>({Shape{}, {7, 4}, class_indices({7}, 4), class_weights(4), total, {7}, {7}},
                    {.ignore_index = 0}),
          sample<O>({Shape{}, {3, 2500}, class_indices({3}, 2500), none, total, {3}, {3}},
                    {.reduction = "sum"})};
}

}  // namespace taper
