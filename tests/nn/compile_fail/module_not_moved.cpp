// expect: a container keeps its modules: pass std::move(layer), layer.clone(), or share it
#include "taper/nn/sequential.h"
using namespace taper;

void add(nn::Sequential& net, nn::Sequential& layer) { net.append(layer); }
