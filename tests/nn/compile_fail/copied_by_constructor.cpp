// expect: clone
#include "taper/nn/module.h"
using namespace taper;

struct Net : nn::Module {
  TAPER_MODULE(Net)
  Tensor forward(const Tensor& x) { return x; }
};
void copy(const Net& net) { Net other(net); }
