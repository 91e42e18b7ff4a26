// expect: ParameterList.extend should be called with an iterable of tensors, not with a Tensor
#include "taper/nn/parameter_list.h"
using namespace taper;

void extend(nn::ParameterList& list, const Tensor& t) { list.extend(t); }
