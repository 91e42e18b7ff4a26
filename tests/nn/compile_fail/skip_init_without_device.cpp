// expect: skip_init: the constructor of this module takes no options with a device
#include "taper/nn/dropout.h"
#include "taper/nn/utils/skip_init.h"
using namespace taper;

void make() { nn::utils::skip_init<nn::Dropout>(0.5); }
