// expect: a const lazy module cannot be called
#include "taper/nn/lazy.h"
using namespace taper;

struct Net : nn::Module {
  nn::LazyLinear fc{10};
  TAPER_MODULE(Net, fc)
  Tensor forward(const Tensor& x) const { return fc(x); }
};
