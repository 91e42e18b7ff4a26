// expect: with one gradient per argument and per result of its forward
// R2.7-04
#include "taper/nn/module.h"
using namespace taper;

struct Net : nn::Module {
  TAPER_MODULE(Net)
  Tensor forward(const Tensor& x, const Tensor& y) { return x + y; }
};
void hook(Net& net) {
  net.register_full_backward_hook([](Net&, Tensor& /*grad_x*/, const Tensor& /*grad_output*/) {});
}
