// expect: NotBool<long
#include "taper/nn/functional/pooling.h"
using namespace taper;

void test(const Tensor& x, bool flag) {
  (void)x.argmax(1, flag), (void)x.argmax(), (void)x.slice(0, 1, {}), (void)x.take_along_dim(x, 1);
  (void)x.argmax(true);                                                // rejected
  (void)argmin(x, flag);                                               // rejected
  (void)x.slice(0, true, 3);                                           // rejected
  (void)x.take_along_dim(x, flag);                                     // rejected
  (void)nn::functional::avg_pool2d(x, 2, {.divisor_override = flag});  // rejected
}
