// expect: bool is not a
#include "taper/nn/functional.h"
#include "taper/nn/nn.h"
using namespace taper;

void test(const Tensor& x, bool flag) {
  (void)F::dropout(x, 0.5, {.training = flag}), (void)F::leaky_relu(x, 0.1, {.inplace = flag});
  (void)nn::Linear(2, 3), (void)nn::Dropout(0.5), (void)nn::LSTM(3, 3, {.dropout = 0.5});
  nn::Linear(true, 3);                   // rejected
  nn::Linear(3, flag);                   // rejected
  nn::Conv2d(true, 3, 3);                // rejected
  nn::Conv2d(3, 3, true);                // rejected
  nn::BatchNorm2d{true};                 // rejected
  nn::Flatten{true};                     // rejected
  nn::Softmax{true};                     // rejected
  nn::LazyLinear{true};                  // rejected
  nn::LSTM(true, 3);                     // rejected
  nn::LSTM(3, 3, {.num_layers = true});  // rejected
  nn::LSTM(3, 3, {.dropout = true});     // rejected
  nn::MaxPool2d{true};                   // rejected
  nn::Dropout{true};                     // rejected
  nn::LeakyReLU{true};                   // rejected
  (void)F::dropout(x, true);             // rejected
  (void)F::dropout2d(x, flag);           // rejected
  (void)F::leaky_relu(x, true);          // rejected
  (void)F::gumbel_softmax(x, true);      // rejected
}
