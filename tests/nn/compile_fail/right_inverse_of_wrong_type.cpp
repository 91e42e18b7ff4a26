// expect: right_inverse returns a Tensor, or a pair, tuple or vector of them
#include "taper/nn/linear.h"
#include "taper/nn/utils/parametrize.h"
using namespace taper;

struct Foreign {};
struct Odd : nn::Module {
  TAPER_MODULE(Odd)
  Tensor forward(const Tensor& x) { return x; }
  Foreign right_inverse(const Tensor&) { return {}; }
};
void use(nn::Linear& layer) {
  nn::utils::parametrize::register_parametrization(layer, "weight", Odd());
}
