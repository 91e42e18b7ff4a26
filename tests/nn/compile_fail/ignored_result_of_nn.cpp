// options: -Werror
// expect: nodiscard
#include <vector>

#include "taper/nn/functional.h"
#include "taper/nn/init.h"
#include "taper/nn/nn.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/optim/optim.h"
using namespace taper;

void test(nn::Linear& net, const Tensor& x, const std::vector<Tensor>& list, optim::SGD& opt,
          nn::ParameterDict& dict) {
  nn::init::zeros_(net.weight), nn::init::xavier_uniform_(net.weight);
  nn::utils::clip_grad_norm_(list, 1), nn::utils::clip_grad_value_(list, 1);
  opt.step([&] { return x.sum(); });
  dict.setdefault("x", net.weight), dict.pop("x");
  net.load_state_dict(net.state_dict()), net.requires_grad_(false).eval();
  net.state_dict();                 // rejected
  net(x);                           // rejected
  F::relu(x);                       // rejected
  nn::utils::get_total_norm(list);  // rejected
}
