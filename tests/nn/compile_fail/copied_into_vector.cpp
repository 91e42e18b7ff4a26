// expect: clone
#include <vector>

#include "taper/nn/module.h"
using namespace taper;

struct Net : nn::Module {
  TAPER_MODULE(Net)
  Tensor forward(const Tensor& x) { return x; }
};
void copy(std::vector<Net>& nets, Net& net) { nets.push_back(net); }
