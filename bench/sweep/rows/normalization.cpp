// Rows of the sweep: normalization.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily normalization_rows() {
  return {
      "normalization",
      {
          OP(1, "x[r,c] w[c] b[c]", F::layer_norm(x, {c}, {.weight = w, .bias = b})).also("bf16"),
          OP(1, "x[r,c] w[c]", F::rms_norm(x, {c}, {.weight = w})).also("bf16"),
          OP(1, "x[B,C,H,W] w[C] b[C]", F::group_norm(x, 4, {.weight = w, .bias = b})).also("bf16"),
          OP(1, "x[B,C,H,W] y[C]~ z[C]=positive~ w[C] b[C]",
             F::batch_norm(x, y, z, {.weight = w, .bias = b, .training = true})),
          OP(1, "x[B,C,H,W] y[C]~ z[C]=positive~ w[C] b[C]",
             F::batch_norm(x, y, z, {.weight = w, .bias = b})),
          OP(2, "x[B,C,H,W]", F::instance_norm(x)),
          OP(2, "x[B,C,H,W]", F::local_response_norm(x, 3)),
          OP(1, "x[r,c]", F::normalize(x)),
      }};
}

}  // namespace taper::bench
