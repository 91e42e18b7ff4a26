// Rows of the sweep: interpolation, padding and other operations on images.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily spatial_rows() {
  return {
      "spatial",
      {
          OP(1, "x[B,C,H/2,W/2]", F::interpolate(x, {.scale_factor = 2}))
              .python("F.interpolate(x, scale_factor=2)"),
          OP(1, "x[B,C,H/2,W/2]", F::interpolate(x, {.size = {H, W}, .mode = "bilinear"}))
              .python("F.interpolate(x, size=[H, W], mode='bilinear')"),
          OP(1, "x[B,C,H,W]", F::interpolate(x, {.size = {H / 2, W / 2}, .mode = "bilinear"}))
              .python("F.interpolate(x, size=[H // 2, W // 2], mode='bilinear')"),
          OP(1, "x[B,C,H/2,W/2]",
             F::interpolate(x.to(channels_last), {.size = {H, W}, .mode = "bilinear"}))
              .python(
                  "F.interpolate(x.to(memory_format=channels_last), size=[H, W], mode='bilinear')"),
          OP(1, "x[B,C,H/2,W/2]", F::interpolate(x, {.size = {H, W}, .mode = "bicubic"}))
              .python("F.interpolate(x, size=[H, W], mode='bicubic')"),
          OP(2, "x[B,C,L/2]", F::interpolate(x, {.size = {L}, .mode = "linear"}))
              .python("F.interpolate(x, size=[L], mode='linear')"),
          OP(2, "x[B,C,H/2,2,W/4]", F::interpolate(x, {.size = {H, 4, W / 2}, .mode = "trilinear"}))
              .python("F.interpolate(x, size=[H, 4, W // 2], mode='trilinear')"),
          OP(2, "x[B,C,H,W]",
             F::interpolate(x, {.size = {H / 2, W / 2}, .mode = "bilinear", .antialias = true}))
              .python("F.interpolate(x, size=[H // 2, W // 2], mode='bilinear', antialias=True)"),
          OP(1, "x[B,C,H,W]", F::pad(x, {1, 1, 1, 1})),
          OP(1, "x[B,C,H,W]", F::pad(x, {1, 1, 1, 1}, {.mode = "reflect"})),
          OP(2, "x[B,C,H,W]", F::pad(x, {1, 1, 1, 1}, {.mode = "replicate"})),
          OP(2, "x[B,C,H,W]", F::pad(x, {1, 1, 1, 1}, {.mode = "circular"})),
          OP(2, "x[B,C,H,W]", F::pixel_shuffle(x, 2)),
          OP(2, "x[B,C,H,W]", F::pixel_unshuffle(x, 2)),
          OP(3, "x[B,C,H,W]", F::channel_shuffle(x, 2)),
          OP(2, "x[B,C,H/2,W/2]", F::unfold(x, 2)),
          OP(2, "x[B,C*4,H*W/4]", F::fold(x, {H, W}, 2, {.stride = 2})),
          OP(2, "x[B,C,H,W] y[B,H,W,2]=unit", F::grid_sample(x, y, {.align_corners = false})),
          OP(2, "x[B,2,3]", F::affine_grid(x, {B, C, H, W}, {.align_corners = false})),
      }};
}

}  // namespace taper::bench
