// expect: TAPER_REGISTER names options that are not, in this order, the arguments of a constructor
#include "taper/nn/module.h"
#include "taper/nn/registry.h"

struct Net : taper::nn::Module {
  Net(int w, std::string n) : width(w), name(std::move(n)) {}
  int width;
  std::string name;
  TAPER_MODULE(Net)
  taper::Tensor forward(const taper::Tensor& x) { return x; }
};
TAPER_REGISTER(Net, name, width)
