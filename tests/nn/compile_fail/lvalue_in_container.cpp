// expect: modules are not copied into a container: pass std::move(layer), layer.clone(), or share
#include "taper/nn/linear.h"
#include "taper/nn/module_dict.h"
using namespace taper;

void put(nn::ModuleDict& d, nn::Linear& layer) { d.set("fc", layer); }
