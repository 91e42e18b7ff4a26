// expect: a base of Head lists members: use TAPER_DERIVED_MODULE(Head, Base, members...)
#include "taper/nn/module.h"
using namespace taper;

struct Net : nn::Module {
  nn::Parameter weight;
  TAPER_MODULE(Net, weight)
  Tensor forward(const Tensor& x) { return x; }
};
struct Head : Net {
  nn::Parameter bias;
  TAPER_MODULE(Head, bias)
  Tensor forward(const Tensor& x) { return x; }
};
