#include "ops/loss/nll_loss.h"
#include "ops/samples.h"

namespace taper {
namespace {

TensorSpec classes(Shape shape, int count) {
  return TensorSpec(std::move(shape), 0, count, DType::i64);
}
// As in PyTorch, the weights and their total are not differentiated.
TensorSpec weights(std::int64_t count) { return TensorSpec({count}, 0.5, 2).as_constant(); }
const TensorSpec kTotalWeight = TensorSpec(Shape{}, 1, 2).as_constant();

}  // namespace

TAPER_DEFINE_SAMPLES(nll_loss) {
  using O = NllLoss<false>;
  return {sample<O>({{3}, classes({}, 3), TensorSpec::none()}),
          sample<O>({{16, 10}, classes({16}, 10), TensorSpec::none()}),
          sample<O>({{7, 4}, classes({7}, 4), TensorSpec::none()},
                    {.reduction = "sum", .ignore_index = 1}),
          sample<O>({{7, 4}, classes({7}, 4), TensorSpec::none()},
                    {.reduction = "none", .ignore_index = 1}),
          sample<O>({{7, 4}, classes({7}, 4), weights(4)}, {.ignore_index = 0})};
}

TAPER_DEFINE_SAMPLES(nll_loss2d) {
  using O = NllLoss<true>;
  return {
      sample<O>({{2, 3, 5}, classes({2, 5}, 3), TensorSpec::none()}),
      sample<O>({{2, 3, 4, 5}, classes({2, 4, 5}, 3), TensorSpec::none()}, {.ignore_index = 2}),
      sample<O>({{2, 3, 4, 5}, classes({2, 4, 5}, 3), TensorSpec::none()}, {.reduction = "none"}),
      sample<O>({{2, 3, 70, 80}, classes({2, 70, 80}, 3), weights(3)})};
}

TAPER_DEFINE_SAMPLES(nll_loss_backward) {
  using O = NllLossBackward<false>;
  return {sample<O>({Shape{}, classes({}, 3), TensorSpec::none(), kTotalWeight},
                    {.reduction = "sum", .shape = {3}}),
          sample<O>({{7}, classes({7}, 4), TensorSpec::none(), kTotalWeight},
                    {.reduction = "none", .ignore_index = 1, .shape = {7, 4}}),
          // The gradient rule assumes that the total weight is the sum of the weights, which does
          // not hold for random inputs.
          skip_gradient_check(
              sample<O>({Shape{}, classes({7}, 4), weights(4), kTotalWeight}, {.shape = {7, 4}}))};
}

TAPER_DEFINE_SAMPLES(nll_loss2d_backward) {
  using O = NllLossBackward<true>;
  return {sample<O>({Shape{}, classes({2, 5}, 3), TensorSpec::none(), kTotalWeight},
                    {.reduction = "sum", .shape = {2, 3, 5}}),
          sample<O>({{2, 4, 5}, classes({2, 4, 5}, 3), TensorSpec::none(), kTotalWeight},
                    {.reduction = "none", .ignore_index = 1, .shape = {2, 3, 4, 5}})};
}

}  // namespace taper
