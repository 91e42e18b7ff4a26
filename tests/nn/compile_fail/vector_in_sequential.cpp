// expect: argument is not a module: pass std::move(layer)
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"
using namespace taper;

nn::Sequential make(std::vector<nn::Linear>&& layers) { return nn::Sequential(std::move(layers)); }
