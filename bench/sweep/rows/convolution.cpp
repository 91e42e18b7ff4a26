// Rows of the sweep: convolutions.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily convolution_rows() {
  return {"convolution",
          {
              OP(1, "x[B,C,H,W] w[C,C,3,3] b[C]", F::conv2d(x, w, b, {.padding = 1})),
              OP(1, "x[B,C,H,W] w[C,C,3,3] b[C]", F::conv2d(x, w, b, {.stride = 2, .padding = 1})),
              OP(1, "x[B,C,H,W] w[C,C,1,1] b[C]", F::conv2d(x, w, b)),
              OP(2, "x[B,C,H,W] w[C,1,3,3] b[C]", F::conv2d(x, w, b, {.padding = 1, .groups = C})),
              OP(1, "x[B,C,L] w[C,C,3] b[C]", F::conv1d(x, w, b, {.padding = 1})),
              OP(2, "x[1,C,H,4,W/4] w[C,C,3,3,3] b[C]", F::conv3d(x, w, b, {.padding = 1})),
              OP(1, "x[B,C,H/2,W/2] w[C,C,2,2] b[C]", F::conv_transpose2d(x, w, b, {.stride = 2})),
              OP(2, "x[B,C,L/2] w[C,C,2] b[C]", F::conv_transpose1d(x, w, b, {.stride = 2})),
          }};
}

}  // namespace taper::bench
