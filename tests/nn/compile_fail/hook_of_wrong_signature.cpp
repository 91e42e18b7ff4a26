// expect: or hook(Class&, const Arg&..., Result&) with the types of its forward
#include "taper/nn/module.h"
using namespace taper;

struct Net : nn::Module {
  TAPER_MODULE(Net)
  Tensor forward(const Tensor& x) { return x; }
};
void hook(Net& net) {
  net.register_forward_hook([](Net&, int, Tensor&, float) {});
}
