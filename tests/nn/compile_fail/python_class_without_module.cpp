// expect: TAPER_PYTHON_CLASS takes the path of a class in Python
#include "taper/nn/linear.h"
#include "taper/nn/python_interop.h"
using namespace taper;

struct Net : nn::Module {
  nn::Linear fc{1, 1};
  TAPER_MODULE(Net, fc)
  Tensor forward(const Tensor& x) { return fc(x); }
};
TAPER_PYTHON_CLASS(Net, "Net")
