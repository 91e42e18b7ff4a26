// expect: always_call
// R2.7-01: only forward hooks can run after a failure.
#include "taper/nn/module.h"
using namespace taper;

void hook(nn::Module& net) {
  net.register_forward_pre_hook([](nn::Module&, nn::Values&) {}, {.always_call = true});
}
