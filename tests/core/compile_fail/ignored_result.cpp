// options: -Werror
// expect: nodiscard
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/io/load.h"
#include "taper/ops/random.h"
using namespace taper;

void test(Tensor x, const Tensor& y, const Value& values) {
  x.add_(y), x.zero_(), x.fill_(1).mul_(2), x.uniform_(), x.copy_(y), x.set_requires_grad();
  x += y, x[0] = y, x[{0, 1}] += 1, x = y, x.detach_(), x.clamp_(0);
  values["x"] = 3, values.append(y), manual_seed(1);
  const NoGrad guard;
  x.add(y);              // rejected
  x + y;                 // rejected
  x.detach();            // rejected
  x.split(2);            // rejected
  x.max(0);              // rejected
  x[0];                  // rejected
  x[{Slice{0, 2}}];      // rejected
  zeros({2});            // rejected
  equal(x, y);           // rejected
  load("file.pt");       // rejected
  values["x"];           // rejected
  Value::list();         // rejected
  autograd::grad(x, y);  // rejected
  NoGrad();              // rejected
  GradMode(false);       // rejected
  get_rng_state();       // rejected
}
