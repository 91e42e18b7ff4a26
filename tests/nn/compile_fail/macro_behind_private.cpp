// expect: must be used where access is public
#include "taper/nn/linear.h"
using namespace taper;

class Net : public nn::Module {
  nn::Linear fc{2, 3};
  TAPER_MODULE(Net, fc)
  Tensor forward(const Tensor& x) { return fc(x); }
};
