// expect: no matching function for call to
// R3.3-06: global pre-hooks receive positional arguments only.
#include "taper/nn/global_hooks.h"
using namespace taper;

void hook() {
  nn::register_module_forward_pre_hook([](nn::Module&, nn::Values&, nn::Value& /*kwargs*/) {});
}
