// expect: autograd::grad(y, x) is the gradient, not a list
// Each case is compiled alone, because a compiler reports a static assertion once:
// case: row = autograd::grad(y, x)[0]
// case: row = g[0]
// case: row = g[std::size_t{1}]
// case: row = g[dim]
#include "taper/autograd/autograd.h"
#include "taper/core/index.h"
using namespace taper;

void test(const Tensor& y, const Tensor& x, std::int64_t dim) {
  auto g = autograd::grad(y, x);
  Tensor row = autograd::grad({y}, {x})[0][0];
  row = g[{dim}], row = g[Slice{0, 1}], row = g[x];
  const Tensor gradient = autograd::grad(y, x);
  row = gradient[0];
#ifdef CASE
  CASE;
#endif
}
