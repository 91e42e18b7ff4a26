// expect: modules are not copied into a container: pass std::move(layer), layer.clone(), or share
#include "taper/nn/sequential.h"
using namespace taper;

void add(nn::Sequential& net, nn::Sequential& layer) { net.append(layer); }
