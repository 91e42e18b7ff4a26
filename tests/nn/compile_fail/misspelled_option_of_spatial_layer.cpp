// expect: error
#include "taper/nn/conv.h"
#include "taper/nn/flatten.h"
#include "taper/nn/pooling.h"
#include "taper/nn/spatial.h"
using namespace taper;

void test(const Tensor& x, const nn::ConvTranspose2d& up, const nn::MaxUnpool2d& unpool) {
  nn::Conv2d(3, 4, 3, {.stride = {2, 1}}), nn::Upsample({.scale_factor = 2}), nn::Flatten(2);
  nn::Conv2d(3, 4, 3, {.strid = 2});                // rejected
  nn::Conv2d(3, 4, 3, {2, 2});                      // rejected
  nn::Conv2d(3, 4, 3, {.groups = true});            // rejected
  nn::ConvTranspose2d(3, 4, 3, {2, 2});             // rejected
  nn::MaxPool2d(2, {2, 2});                         // rejected
  nn::MaxPool2d(2, {.strid = 2});                   // rejected
  nn::AvgPool2d(2, {.divisor_override = true});     // rejected
  nn::LPPool2d(2, 3, {.strid = 2});                 // rejected
  nn::MaxUnpool2d(2, {.strid = 2});                 // rejected
  nn::FractionalMaxPool2d(2, {.output_sizes = 2});  // rejected
  nn::Upsample({.scale = 2});                       // rejected
  nn::Upsample({16, 16});                           // rejected
  nn::UpsamplingNearest2d({.mode = "linear"});      // rejected
  nn::Fold({4, 4}, 2, {2, 2});                      // rejected
  nn::Unfold(2, {.strid = 2});                      // rejected
  nn::Flatten({.start = 2});                        // rejected
  (void)up(x, {.output_sizes = {8, 8}});            // rejected
  (void)up(x, true);                                // rejected
  (void)up.forward(x, {.outputs = 8});              // rejected
  (void)unpool(x, x, {.output_sizes = {8, 8}});     // rejected
}
