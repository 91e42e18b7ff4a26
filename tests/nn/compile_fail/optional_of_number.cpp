// expect: TAPER_MODULE lists a std::optional that holds no parameter, buffer or module
#include "taper/nn/module.h"
using namespace taper;

struct Layer : nn::Module {
  TAPER_MODULE(Layer)
  Tensor forward(const Tensor& x) { return x; }
};
struct Net : nn::Module {
  std::optional<int> layers;
  TAPER_MODULE(Net, layers)
  Tensor forward(const Tensor& x) { return x; }
};
