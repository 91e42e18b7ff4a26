// expect: a std::optional of a module is one: write nn::Optional
#include "taper/nn/linear.h"
using namespace taper;

struct Net : nn::Module {
  std::optional<nn::Linear> fc;
  TAPER_MODULE(Net, fc)
  Tensor forward(const Tensor& x) { return x; }
};
Net copy(const Net& net) { return net.clone(); }
