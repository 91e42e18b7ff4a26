// Rows of the sweep: views and rearrangement.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily rearrange_rows() {
  return {"rearrange",
          {
              OP(1, "x[n]", x.clone()).also("bf16 i64 bool"),
              OP(1, "x[n]", x.to(DType::bf16)),
              OP(1, "x[n]", x.to(DType::f32)).only("bf16 i64 bool"),
              OP(1, "x[n]", x.to(DType::i64)).no_grad(),
              OP(1, "x[n] y[n]", x.copy_(y)).no_grad(),
              OP(1, "x[c,r]", x.t().contiguous()).also("bf16"),
              OP(1, "x[B,C,H,W]", permute(x, {0, 2, 3, 1}).contiguous()),
              OP(1, "x[B,H,W,C]", permute(x, {0, 3, 1, 2}).contiguous()),
              OP(1, "x[r,c]", x.view({c, r})),
              OP(1, "x[r,c]", x.reshape({-1})),
              OP(1, "x[r,c]", flatten(x)),
              OP(1, "x[r,c]", transpose(x, 0, 1)),
              OP(1, "x[r,c]", unsqueeze(x, 1)),
              OP(1, "x[r,1,c]", squeeze(x, 1)),
              OP(1, "x[1,c]", x.expand({r, c})),
              OP(1, "x[r,c]", x.slice(1, 1, 65)).python("x[:, 1:65]"),
              OP(1, "x[r,c]", x.slice(1, 0, c, 2).contiguous()).python("x[:, 0:c:2].contiguous()"),
              OP(2, "x[r,c]", select(x, 0, 1)),
              OP(2, "x[r,c]", narrow(x, 1, 1, 64)),
              OP(2, "x[r,c]", diagonal(x)),
              OP(2, "x[n]", x.as_strided({r, c}, {c, 1})),
              OP(1, "x[r,c]", flip(x, {1})),
              OP(1, "x[r,c]", flip(x, {0})),
              OP(1, "x[r,c]", roll(x, 3, 1)),
              OP(1, "x[r,c]", x.repeat({2, 2})),
              OP(1, "x[r,c]", repeat_interleave(x, 2, 1)),
              OP(1, "x[r,c]", diag(x)),
              OP(2, "x[r,c]", rot90(x)),
              OP(2, "x[r,c]", tile(x, {2, 2})),
              OP(2, "x[r,4]", diag_embed(x)),
              OP(2, "x[r,c]", movedim(x, 0, 1).contiguous()),
              OP(2, "x[r,c]", x.unfold(1, 16, 8)),
              OP(3, "x[r,c]", x.unfold(1, 16, 8).contiguous()),
          }};
}

}  // namespace taper::bench
