// expect: reducton
#include "taper/nn/functional.h"
#include "taper/nn/nn.h"
using namespace taper;

void test(const Tensor& x, const Tensor& y, const Tensor& w) {
  (void)F::mse_loss(x, y, {.reduction = "sum", .weight = w});
  (void)F::cosine_similarity(x, y, {.dim = 0}), (void)F::bilinear(x, y, w, {.bias = w});
  (void)F::mse_loss(x, y, {.reducton = "sum"});                                // rejected
  (void)F::l1_loss(x, y, {.wight = w});                                        // rejected
  (void)F::smooth_l1_loss(x, y, {.bta = 2});                                   // rejected
  (void)F::huber_loss(x, y, {.dlta = 2});                                      // rejected
  (void)F::nll_loss(x, y, {.ignore = 2});                                      // rejected
  (void)F::cross_entropy(x, y, {.smoothing = 0.1});                            // rejected
  (void)F::linear_cross_entropy(x, w, y, {.bias = w});                         // rejected
  (void)F::binary_cross_entropy(x, y, {.pos_weight = w});                      // rejected
  (void)F::binary_cross_entropy_with_logits(x, y, {.positive = w});            // rejected
  (void)F::kl_div(x, y, {.log = true});                                        // rejected
  (void)F::poisson_nll_loss(x, y, {.log = true});                              // rejected
  (void)F::gaussian_nll_loss(x, y, {.eps = 1e-3});                             // rejected
  (void)F::gaussian_nll_loss(x, y, w, {.epsilon = 1e-3});                      // rejected
  (void)F::gaussian_nll_loss(x, y, 1.0, {.epsilon = 1e-3});                    // rejected
  (void)F::soft_margin_loss(x, y, {.reducton = "sum"});                        // rejected
  (void)F::hinge_embedding_loss(x, y, {.margn = 2});                           // rejected
  (void)F::margin_ranking_loss(x, y, w, {.margn = 2});                         // rejected
  (void)F::cosine_embedding_loss(x, y, w, {.margn = 2});                       // rejected
  (void)F::triplet_margin_loss(x, y, w, {.norm = 1});                          // rejected
  (void)F::triplet_margin_with_distance_loss(x, y, w, {.distance = nullptr});  // rejected
  (void)F::multilabel_margin_loss(x, y, {.reducton = "sum"});                  // rejected
  (void)F::multilabel_soft_margin_loss(x, y, {.wight = w});                    // rejected
  (void)F::multi_margin_loss(x, y, {.power = 2});                              // rejected
  (void)F::ctc_loss(x, y, w, w, {.blnk = 1});                                  // rejected
  (void)F::ctc_loss(x, y, {2}, {2}, {.blnk = 1});                              // rejected
  (void)F::cosine_similarity(x, y, {.axis = 0});                               // rejected
  (void)F::pairwise_distance(x, y, {.norm = 1});                               // rejected
  (void)F::pdist(x, {.norm = 1});                                              // rejected
  (void)F::bilinear(x, y, w, {.bia = w});                                      // rejected
  (void)nn::MSELoss({.reducton = "sum"});                                      // rejected
}
