// Rows of the sweep: random numbers.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily random_rows() {
  return {"random",
          {
              OP(1, "", rand({n})),
              OP(1, "", randn({n})),
              OP(1, "", randint(0, 100, {n})),
              OP(1, "", randperm(n)),
              OP(1, "x[n]", rand_like(x)).no_grad(),
              OP(1, "x[n]=uniform", bernoulli(x)).no_grad(),
              OP(1, "x[r,c]=uniform", multinomial(x, 4)).no_grad(),
              OP(2, "x[n]~", x.normal_()),
              OP(2, "x[n]~", x.uniform_(-1, 1)),
              OP(2, "x[n]~", x.bernoulli_(0.3)),
              OP(2, "x[n]~", x.exponential_()),
              OP(3, "x[n]~", x.random_(0, 100)),
              OP(3, "x[n]~", x.geometric_(0.3)),
              OP(3, "x[n]~", x.cauchy_()),
              OP(3, "x[n]~", x.log_normal_()),
              OP(2, "x[n]=positive", poisson(x)).no_grad(),
          }};
}

}  // namespace taper::bench
