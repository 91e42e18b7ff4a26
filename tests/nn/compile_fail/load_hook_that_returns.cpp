// expect: nn::IncompatibleKeys&) and returns nothing
// R5.2-06
#include "taper/nn/module.h"
using namespace taper;

void hook(nn::Module& net) {
  net.register_load_state_dict_post_hook([](nn::Module&, nn::IncompatibleKeys&) { return 1; });
}
