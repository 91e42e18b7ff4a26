// expect: options are named: {.stride = 2}
// expect: options are named: {.bias = false}
// expect: options are named: {.num_layers = 2}
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"
#include "taper/nn/pooling.h"
#include "taper/nn/rnn.h"
using namespace taper;

void test() {
  nn::MaxPool2d{2}, nn::MaxPool2d{{2, 2}, {.stride = 2}}, nn::MaxPool2d{2, {}}, nn::AvgPool1d{2};
  nn::Conv2d{1, 2, 3}, nn::Conv2d{1, 2, {3, 3}, {.stride = 2}};
  nn::Linear{3, 4}, nn::Linear{3, 4, {.bias = false}}, nn::LSTM{3, 4, {.num_layers = 2}};
  nn::MaxPool2d{2, 2};               // rejected
  nn::MaxPool1d(2, 2, 1);            // rejected
  nn::AvgPool2d{{2, 2}, 2};          // rejected
  nn::AvgPool3d{2, Shape{2, 2, 2}};  // rejected
  nn::Conv2d{1, 2, 3, 1, 1};         // rejected
  nn::ConvTranspose1d{1, 2, 3, 2};   // rejected
  nn::Linear{3, 4, false};           // rejected
  nn::LSTM{3, 4, 2};                 // rejected
  nn::GRU(3, 4, 2, true);            // rejected
}
