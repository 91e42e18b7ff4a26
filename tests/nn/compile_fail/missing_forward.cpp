// expect: this module has no forward, or its forward does not take these arguments
#include "taper/nn/module.h"
using namespace taper;

struct Net : nn::Module {
  TAPER_MODULE(Net)
};
Tensor call(Net& net, const Tensor& x) { return net(x); }
