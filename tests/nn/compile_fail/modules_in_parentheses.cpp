// expect: use braces, nn::Sequential{nn::Linear(2, 3), nn::ReLU()}
#include "taper/nn/activation.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"
using namespace taper;

nn::Sequential make() { return nn::Sequential(nn::Linear(2, 2), nn::ReLU()); }
