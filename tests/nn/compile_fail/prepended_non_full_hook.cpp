// expect: no matching
// R2.7-05: non-full backward hooks cannot be prepended.
#include "taper/nn/module.h"
using namespace taper;

void hook(nn::Module& net) {
  net.register_backward_hook([](nn::Module&, const Values&, const Values&) {}, {.prepend = true});
}
