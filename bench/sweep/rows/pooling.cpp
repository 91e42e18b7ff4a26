// Rows of the sweep: pooling.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily pooling_rows() {
  return {
      "pooling",
      {
          OP(1, "x[B,C,L]", F::max_pool1d(x, 2)),
          OP(1, "x[B,C,H,W]", F::max_pool2d(x, 2)),
          OP(1, "x[B,C,H,W]", F::max_pool2d(x, 3, {.stride = 2, .padding = 1})),
          OP(1, "x[B,C,H,W]", F::max_pool2d(x.to(channels_last), 3, {.stride = 2, .padding = 1}))
              .python("F.max_pool2d(x.to(memory_format=channels_last), 3, stride=2, padding=1)"),
          OP(2, "x[B,C,H,4,W/4]", F::max_pool3d(x, 2)),
          OP(2, "x[B,C,L]", F::avg_pool1d(x, 2)),
          OP(1, "x[B,C,H,W]", F::avg_pool2d(x, 2)),
          OP(1, "x[B,C,H,W]", F::avg_pool2d(x, 3, {.stride = 2, .padding = 1})),
          OP(2, "x[B,C,H,4,W/4]", F::avg_pool3d(x, 2)),
          OP(1, "x[B,C,L]", F::adaptive_avg_pool1d(x, 8)),
          OP(1, "x[B,C,H,W]", F::adaptive_avg_pool2d(x, 1)),
          OP(1, "x[B,C,H,W]", F::adaptive_avg_pool2d(x, 7)),
          OP(2, "x[B,C,H,4,W/4]", F::adaptive_avg_pool3d(x, 2)),
          OP(2, "x[B,C,L]", F::adaptive_max_pool1d(x, 8)),
          OP(2, "x[B,C,H,W]", F::adaptive_max_pool2d(x, 7)),
          OP(2, "x[B,C,H,4,W/4]", F::adaptive_max_pool3d(x, 2)),
          OP(3, "x[B,C,L]", F::lp_pool1d(x, 2, 3)).any_value(),
          OP(3, "x[B,C,H,W]", F::lp_pool2d(x, 2, 3)).any_value(),
          OP(3, "x[B,C,H,W]", F::max_pool2d_with_indices(x, 2)),
          OP(3, "x[B,C,H,W]", F::fractional_max_pool2d(x, 2, {.output_size = {H / 2, W / 2}}))
              .python("F.fractional_max_pool2d(x, 2, output_size=[H // 2, W // 2])"),
      }};
}

}  // namespace taper::bench
