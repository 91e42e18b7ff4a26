// Rows of the sweep: activations.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily activation_rows() {
  return {"activation",
          {
              OP(1, "x[n]", relu(x)).also("bf16 i64"),
              OP(1, "x[n]", F::gelu(x)).also("bf16"),
              OP(1, "x[n]", F::gelu(x, {.approximate = "tanh"})).also("bf16"),
              OP(1, "x[n]", F::silu(x)).also("bf16"),
              OP(1, "x[n]", F::leaky_relu(x)),
              OP(1, "x[n]", F::elu(x)),
              OP(1, "x[n]", F::softplus(x)),
              OP(1, "x[n]~", relu_(x)),
              OP(1, "x[r,c]", F::softmax(x, -1)).also("bf16"),
              OP(1, "x[r,c]", F::softmax(x, 0)),
              OP(1, "x[B,C,H,W]", F::softmax(x, 1)),
              OP(1, "x[r,c]", F::log_softmax(x, -1)).also("bf16"),
              OP(1, "x[B,C,H,W]", F::log_softmax(x, 1)),
              OP(2, "x[r,c]", F::gumbel_softmax(x)),
              OP(3, "x[r,c]", F::softmin(x, -1)),
              OP(2, "x[r,2*c]", F::glu(x)),
              OP(2, "x[n]", F::hardsigmoid(x)),
              OP(2, "x[n]", F::hardswish(x)),
              OP(2, "x[n]", F::hardtanh(x)),
              OP(2, "x[n]", F::logsigmoid(x)),
              OP(2, "x[n]", F::mish(x)),
              OP(2, "x[B,C,H,W] w[C]", F::prelu(x, w)),
              OP(2, "x[n]", F::relu6(x)),
              OP(2, "x[n]", F::selu(x)),
              OP(3, "x[n]", F::celu(x)),
              OP(3, "x[n]", F::hardshrink(x)),
              OP(3, "x[n]", F::softshrink(x)),
              OP(3, "x[n]", F::softsign(x)),
              OP(3, "x[n]", F::tanhshrink(x)),
              OP(3, "x[n]", F::threshold(x, 0.1, 0.5)),
              OP(3, "x[n]", F::rrelu(x, 0.1, 0.3, {.training = true})).any_value(),
              OP(1, "x[n]", F::dropout(x, 0.1)),
              OP(2, "x[n]", F::alpha_dropout(x, 0.1, {.training = true})),
              OP(2, "x[B,C,H,W]", F::dropout2d(x, 0.1)),
          }};
}

}  // namespace taper::bench
