// expect: attr<T>(name) returns a Parameter, a Buffer, a module class, or a type that a Value holds
#include "taper/nn/linear.h"
using namespace taper;

struct Foreign {};
void read(nn::Linear& layer) { (void)layer.attr<Foreign>("weight"); }
