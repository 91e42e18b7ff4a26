// expect: negativ_slope
#include "taper/nn/functional.h"
#include "taper/nn/nn.h"
#include "taper/ops/activation.h"
#include "taper/ops/rrelu.h"
using namespace taper;

void test(const Tensor& x, bool flag) {
  (void)F::gelu(x, {.approximate = "tanh"}), (void)F::leaky_relu(x, 0.1, {.inplace = true});
  (void)F::softmax(x, 1, {.dtype = float64}), (void)F::softmax(x, {}), (void)F::glu(x, {});
  (void)F::gelu(x, {.approximat = "tanh"});         // rejected
  (void)F::gelu(x, "tanh");                         // rejected
  (void)F::relu(x, flag);                           // rejected
  (void)F::leaky_relu(x, {.negativ_slope = 0.1});   // rejected
  (void)F::leaky_relu(x, 0.1, flag);                // rejected
  (void)F::leaky_relu_(x, {.negativ_slope = 0.1});  // rejected
  (void)F::hardtanh(x, {.min = 0});                 // rejected
  (void)F::elu(x, {.alfa = 1});                     // rejected
  (void)F::elu(x, {.alpha = flag});                 // rejected
  (void)F::celu_(x, {.alfa = 1});                   // rejected
  (void)celu_(x, {.alfa = 1});                      // rejected
  (void)hardshrink(x, {.lambda = 1});               // rejected
  (void)F::softshrink(x, {.lambda = 1});            // rejected
  (void)F::rrelu(x, 0.1, 0.3, true);                // rejected
  (void)rrelu_(x, {.low = 0.1});                    // rejected
  (void)F::softplus(x, {.bet = 1});                 // rejected
  (void)F::glu(x, {.axis = 1});                     // rejected
  (void)F::softmax(x, {.axis = 1});                 // rejected
  (void)F::softmax(x, {.dim = flag});               // rejected
  (void)F::softmax(x, 1, float64);                  // rejected
  (void)F::gumbel_softmax(x, 1, flag);              // rejected
  (void)nn::LeakyReLU({.negativ_slope = 0.1});      // rejected
  (void)nn::ELU({.alpha = flag});                   // rejected
  (void)nn::Softmax({.axis = 1});                   // rejected
  (void)nn::PReLU({.ini = 0.1});                    // rejected
}
