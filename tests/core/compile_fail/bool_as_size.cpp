// expect: bool is not a
#include "taper/core/factory.h"
#include "taper/ops/conv.h"
#include "taper/ops/dropout.h"
using namespace taper;

void test(const Tensor& x, bool flag) {
  (void)x.sum(1, flag), (void)x.sum({0, 1}), (void)x.softmax(-1), (void)zeros({2, 3});
  (void)dropout(x, 0.5, flag), (void)x.size(0), (void)x.split(2), (void)x.split({1, 1});
  (void)x.sum(true);                        // rejected
  (void)x.sum({true});                      // rejected
  (void)x.mean(flag, true);                 // rejected
  (void)x.softmax(true);                    // rejected
  (void)x.prod(flag);                       // rejected
  (void)x.max(true);                        // rejected
  (void)x.size(true);                       // rejected
  (void)x.transpose(0, true);               // rejected
  (void)x.split(true);                      // rejected
  (void)split(x, flag);                     // rejected
  (void)x.narrow(0, true, 1);               // rejected
  (void)x[true];                            // rejected
  (void)x.view({true, -1});                 // rejected
  (void)zeros(true);                        // rejected
  (void)zeros({true, 3});                   // rejected
  (void)zeros({flag, 3});                   // rejected
  (void)eye(true);                          // rejected
  (void)cat({x, x}, true);                  // rejected
  (void)conv2d(x, x, x, {.stride = true});  // rejected
  (void)dropout(x, true, true);             // rejected
  (void)bernoulli(x, true);                 // rejected
  (void)multinomial(x, flag);               // rejected
  (void)Shape{flag, flag};                  // rejected
  (void)Shape(flag);                        // rejected
}
