// expect: TAPER_MODULE lists a std::shared_ptr that holds no module
#include "taper/nn/module.h"
using namespace taper;

struct Layer : nn::Module {
  TAPER_MODULE(Layer)
  Tensor forward(const Tensor& x) { return x; }
};
struct Net : nn::Module {
  std::shared_ptr<int> layers;
  TAPER_MODULE(Net, layers)
  Tensor forward(const Tensor& x) { return x; }
};
