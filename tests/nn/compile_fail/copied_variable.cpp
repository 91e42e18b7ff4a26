// expect: modules are not copied: use clone()
#include "taper/nn/module.h"
using namespace taper;

struct Net : nn::Module {
  TAPER_MODULE(Net)
  Tensor forward(const Tensor& x) { return x; }
};
// This is a warning unless it is enabled as an error: see TAPER_DETAIL_CLONED.
#pragma GCC diagnostic error "-Wdeprecated-declarations"
void copy(Net& net) { Net other(net); }
