// expect: a container keeps its modules: pass std::move(layer), layer.clone(), or share it
#include "taper/nn/linear.h"
#include "taper/nn/module_dict.h"
using namespace taper;

void put(nn::ModuleDict& d, nn::Linear& layer) { d.set("fc", layer); }
