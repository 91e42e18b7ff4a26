// expect: the values must be bool, float, double, taper::Half, taper::BFloat16 or integers
#include <vector>

#include "taper/core/factory.h"
using namespace taper;

Tensor text(const std::vector<char>& letters) { return tensor(letters); }
