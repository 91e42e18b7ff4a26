// Rows of the sweep: factory functions and windows.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily creation_rows() {
  return {"creation",
          {
              OP(1, "", zeros({n})),
              OP(1, "", ones({n})),
              OP(1, "", empty({n})).any_value(),
              OP(1, "", full({n}, 0.5)),
              OP(1, "x[n]", zeros_like(x)).also("i64").no_grad(),
              OP(1, "x[n]", full_like(x, 2)).no_grad(),
              OP(1, "", arange(n)),
              OP(1, "", arange(0, n, 1.5)),
              OP(1, "", linspace(0, 1, n)),
              OP(1, "", eye(s)),
              OP(2, "", logspace(0, 1, n)),
              OP(2, "x[n]~", x.fill_(2)),
              OP(2, "x[n]~", x.zero_()),
              OP(2, "", tril_indices(s, s)),
              OP(2, "", hann_window(n)),
              OP(2, "", hamming_window(n)),
              OP(3, "", kaiser_window(L)),
              OP(3, "x[r]", vander(x, 32)).any_value().no_grad(),
          }};
}

}  // namespace taper::bench
