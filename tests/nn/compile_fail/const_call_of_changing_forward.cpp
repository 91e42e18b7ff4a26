// expect: a const module cannot be called, because its forward is not const
#include "taper/nn/module.h"
using namespace taper;

struct Counter : nn::Module {
  int calls = 0;
  TAPER_MODULE(Counter)
  Tensor forward(const Tensor& x) {
    ++calls;
    return x;
  }
};
Tensor call(const Counter& net, const Tensor& x) { return net(x); }
