// expect: ModuleList.extend should be called with an iterable
#include "taper/nn/module_list.h"
using namespace taper;

void extend(nn::ModuleList& list) { list.extend(5); }
