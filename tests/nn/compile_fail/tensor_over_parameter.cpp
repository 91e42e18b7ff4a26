// expect: a parameter is not replaced by a plain tensor: write nn::Parameter(tensor)
#include "taper/nn/module.h"
using namespace taper;

void assign(nn::Parameter& p, const Tensor& t) { p = t; }
