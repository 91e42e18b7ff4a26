#include "ops/loss/nll_loss.h"
#include "ops/rows.h"

namespace taper {
namespace {

Draw classes(Shape shape, int count) { return Draw(std::move(shape), 0, count, DType::i64); }

}  // namespace

TAPER_DEFINE_ROWS(nll_loss) {
  using O = NllLoss<false>;
  return {row<O>({{3}, classes({}, 3), Draw::none()}),
          row<O>({{16, 10}, classes({16}, 10), Draw::none()}),
          row<O>({{7, 4}, classes({7}, 4), Draw::none()}, {.reduction = "sum", .ignore_index = 1}),
          row<O>({{7, 4}, classes({7}, 4), Draw::none()}, {.reduction = "none", .ignore_index = 1}),
          // Not differentiated with respect to the weight, as in PyTorch.
          coarse(row<O>({{7, 4}, classes({7}, 4), Draw({4}, 0.5, 2)}, {.ignore_index = 0}))};
}

TAPER_DEFINE_ROWS(nll_loss2d) {
  using O = NllLoss<true>;
  return {row<O>({{2, 3, 5}, classes({2, 5}, 3), Draw::none()}),
          row<O>({{2, 3, 4, 5}, classes({2, 4, 5}, 3), Draw::none()}, {.ignore_index = 2}),
          row<O>({{2, 3, 4, 5}, classes({2, 4, 5}, 3), Draw::none()}, {.reduction = "none"}),
          coarse(row<O>({{2, 3, 70, 80}, classes({2, 70, 80}, 3), Draw({3}, 0.5, 2)}))};
}

TAPER_DEFINE_ROWS(nll_loss_backward) {
  using O = NllLossBackward<false>;
  return {row<O>({Shape{}, classes({}, 3), Draw::none(), Draw(Shape{}, 1, 2)},
                 {.reduction = "sum", .shape = {3}}),
          row<O>({{7}, classes({7}, 4), Draw::none(), Draw(Shape{}, 1, 2)},
                 {.reduction = "none", .ignore_index = 1, .shape = {7, 4}}),
          coarse(row<O>({Shape{}, classes({7}, 4), Draw({4}, 0.5, 2), Draw(Shape{}, 1, 2)},
                        {.shape = {7, 4}}))};
}

TAPER_DEFINE_ROWS(nll_loss2d_backward) {
  using O = NllLossBackward<true>;
  return {row<O>({Shape{}, classes({2, 5}, 3), Draw::none(), Draw(Shape{}, 1, 2)},
                 {.reduction = "sum", .shape = {2, 3, 5}}),
          row<O>({{2, 4, 5}, classes({2, 4, 5}, 3), Draw::none(), Draw(Shape{}, 1, 2)},
                 {.reduction = "none", .ignore_index = 1, .shape = {2, 3, 4, 5}})};
}

}  // namespace taper
