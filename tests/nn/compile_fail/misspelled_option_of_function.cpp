// expect: weigth
#include "taper/nn/functional.h"
#include "taper/nn/nn.h"
using namespace taper;

void test(const Tensor& x, const Tensor& w, bool flag) {
  (void)F::dropout(x, 0.5, {.training = flag}), (void)F::pad(x, {1, 1}, {.mode = "reflect"});
  (void)F::batch_norm(x, {}, {}, {.training = true}), (void)F::linear(x, w, {});
  (void)F::dropout(x, {.prob = 0.5});                           // rejected
  (void)F::dropout(x, {.p = flag});                             // rejected
  (void)F::dropout(x, 0.5, flag);                               // rejected
  (void)F::dropout(x, 0.5, {.train = flag});                    // rejected
  (void)F::alpha_dropout(x, {.prob = 0.5});                     // rejected
  (void)F::embedding(x, w, {.padding_idx = flag});              // rejected
  (void)F::embedding_bag(x, w, {.offset = w});                  // rejected
  (void)F::embedding_bag(x, w, w, {.mod = "sum"});              // rejected
  (void)F::one_hot(x, {.classes = 3});                          // rejected
  (void)F::one_hot(x, flag);                                    // rejected
  (void)F::linear(x, w, {.bia = w});                            // rejected
  (void)F::layer_norm(x, {4}, {.weigth = w});                   // rejected
  (void)F::layer_norm(x, {4}, w);                               // rejected
  (void)F::batch_norm(x, {}, {}, flag);                         // rejected
  (void)F::batch_norm(x, {}, {}, {.momentum = flag});           // rejected
  (void)F::instance_norm(x, {.mean = w});                       // rejected
  (void)F::normalize(x, {.order = 2});                          // rejected
  (void)F::normalize(x, 2, {.epsilon = 1e-3});                  // rejected
  (void)F::normalize(x, 2, 1, {.epsilon = 1e-3});               // rejected
  (void)F::pad(x, {1, 1}, {.mod = "reflect"});                  // rejected
  (void)F::pad(x, {1, 1}, "reflect");                           // rejected
  (void)F::affine_grid(w, {1, 1, 2, 2}, flag);                  // rejected
  (void)F::scaled_dot_product_attention(x, x, x, {.mask = w});  // rejected
  (void)nn::Dropout({.prob = 0.5});                             // rejected
  (void)nn::Dropout({.p = flag});                               // rejected
  (void)nn::Embedding(3, 4, {.padding_idx = flag});             // rejected
  (void)nn::BatchNorm1d(3, {.eps = flag});                      // rejected
}
