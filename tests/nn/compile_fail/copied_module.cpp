// expect: auto other = net
#include "taper/nn/module.h"
using namespace taper;

struct Net : nn::Module {
  TAPER_MODULE(Net)
  Tensor forward(const Tensor& x) { return x; }
};
Net copy(const Net& net) {
  auto other = net;
  return other;
}
