// expect: no matching function for call to
#include "taper/nn/functional/conv.h"
using namespace taper;
namespace F = nn::functional;

void test(const Tensor& x, const Tensor& w, const Tensor& b) {
  (void)F::conv2d(x, w, b, {.stride = 2}), (void)F::conv2d(x, w, {.bias = b, .padding = "same"});
  (void)F::conv2d(x, w, {.biass = b});                            // rejected
  (void)F::conv2d(x, w, {.strid = 2});                            // rejected
  (void)F::conv2d(x, w, b, {.strid = 2});                         // rejected
  (void)F::conv2d(x, w, {}, {.strid = {2, 2}});                   // rejected
  (void)F::conv2d(x, w, {.biass = b}, {.stride = 2});             // rejected
  (void)F::conv2d(x, w, b, {2, 2}, {.groups = 2});                // rejected
  (void)F::conv2d(x, w, b, {.groups = true});                     // rejected
  (void)F::conv2d(x, w, b, {.padding = true});                    // rejected
  (void)F::conv2d(x, w, b, true);                                 // rejected
  (void)F::conv2d(x, w, b, {2, 2}, true);                         // rejected
  (void)F::conv2d(x, w, 2);                                       // rejected
  (void)F::conv1d(x, w, b, {.strid = 2});                         // rejected
  (void)F::conv3d(x, w, {.strid = 2});                            // rejected
  (void)F::conv_transpose1d(x, w, {.strid = 2});                  // rejected
  (void)F::conv_transpose2d(x, w, b, {.strid = 2});               // rejected
  (void)F::conv_transpose2d(x, w, b, {.padding = "same"});        // rejected
  (void)F::conv_transpose3d(x, w, {}, {2, 2, 2}, {.groups = 2});  // rejected
  (void)F::conv_tbc(x, w, b, {.pda = 2});                         // rejected
  (void)F::conv_tbc(x, w, b, true);                               // rejected
}
