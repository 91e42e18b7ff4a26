// expect: put several modules into nn::ModuleList, nn::ModuleDict or nn::Sequential
#include "taper/nn/module.h"
using namespace taper;

struct Layer : nn::Module {
  TAPER_MODULE(Layer)
  Tensor forward(const Tensor& x) { return x; }
};
struct Net : nn::Module {
  std::vector<Layer> layers;
  TAPER_MODULE(Net, layers)
  Tensor forward(const Tensor& x) { return x; }
};
