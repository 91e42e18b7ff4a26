// expect: the template arguments of nn::Chain must be module classes
#include "taper/nn/chain.h"
#include "taper/nn/linear.h"
using namespace taper;

using Net = nn::Chain<std::shared_ptr<nn::Linear>>;
void size(Net& net) { net.size(); }
