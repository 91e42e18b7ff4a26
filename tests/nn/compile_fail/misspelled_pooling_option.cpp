// expect: no matching function for call to
#include "taper/nn/functional/pooling.h"
#include "taper/nn/functional/spatial.h"
using namespace taper;
namespace F = nn::functional;

void test(const Tensor& x, const Tensor& i) {
  (void)F::max_pool2d(x, 2, {.stride = 2}), (void)F::avg_pool2d(x, 2, {2, 1});
  (void)F::max_pool1d(x, 2, {.strid = 2});                    // rejected
  (void)F::max_pool2d(x, 2, {.strid = {2, 1}});               // rejected
  (void)F::max_pool2d(x, 2, 2, {.ceil_mode = true});          // rejected
  (void)F::max_pool2d(x, 2, {.stride = true});                // rejected
  (void)F::max_pool2d(x, 2, true);                            // rejected
  (void)F::max_pool3d(x, 2, {2, 2, 2}, true);                 // rejected
  (void)F::max_pool2d_with_indices(x, 2, {.strid = 2});       // rejected
  (void)F::avg_pool1d(x, 2, {.strid = 2});                    // rejected
  (void)F::avg_pool2d(x, 2, {.strid = 2});                    // rejected
  (void)F::avg_pool2d(x, 2, 2, 0, true);                      // rejected
  (void)F::avg_pool3d(x, 2, {.divisor_override = true});      // rejected
  (void)F::lp_pool2d(x, 2, 3, {.strid = 2});                  // rejected
  (void)F::lp_pool2d(x, 2, 3, {.ceil_mode = 2.5});            // rejected
  (void)F::max_unpool2d(x, i, 2, {.outputsize = {9, 9}});     // rejected
  (void)F::max_unpool2d(x, i, 2, 2, 0, 9);                    // rejected
  (void)F::fractional_max_pool2d(x, 2, {.output_sizes = 2});  // rejected
  (void)F::fractional_max_pool2d(x, 2, {2, 2});               // rejected
  (void)F::interpolate(x, {.sizes = {16, 16}});               // rejected
  (void)F::interpolate(x, {16, 16});                          // rejected
  (void)F::interpolate(x, {.scale_factor = true});            // rejected
  (void)F::upsample(x, {.scale = 2});                         // rejected
  (void)F::upsample_nearest(x, {.mode = "bilinear"});         // rejected
  (void)F::unfold(x, 2, {.strid = 2});                        // rejected
  (void)F::fold(x, {4, 4}, 2, {2, 2});                        // rejected
}
