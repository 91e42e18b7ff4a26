// expect: bool is not a
#include "taper/nn/functional.h"
#include "taper/nn/nn.h"
using namespace taper;

void test(const Tensor& x, const Tensor& y, bool flag) {
  (void)F::kl_div(x, y, {.log_target = flag}), (void)F::pairwise_distance(x, y, 2, 0, flag);
  (void)F::nll_loss(x, y, {.ignore_index = true});                    // rejected
  (void)F::cross_entropy(x, y, {.label_smoothing = true});            // rejected
  (void)F::linear_cross_entropy(x, x, y, {.ignore_index = true});     // rejected
  (void)F::smooth_l1_loss(x, y, {.beta = flag});                      // rejected
  (void)F::huber_loss(x, y, {.delta = true});                         // rejected
  (void)F::gaussian_nll_loss(x, y, true);                             // rejected
  (void)F::gaussian_nll_loss(x, y, 1.0, true);                        // rejected
  (void)F::poisson_nll_loss(x, y, false);                             // rejected
  (void)F::kl_div(x, y, true);                                        // rejected
  (void)F::multi_margin_loss(x, y, {.p = true});                      // rejected
  (void)F::triplet_margin_loss(x, y, x, {.margin = true});            // rejected
  (void)F::ctc_loss(x, y, {2}, {2}, {.blank = flag});                 // rejected
  (void)F::cosine_similarity(x, y, true);                             // rejected
  (void)F::cosine_similarity(x, y, {.dim = true});                    // rejected
  (void)F::pairwise_distance(x, y, flag);                             // rejected
  (void)F::pdist(x, true);                                            // rejected
  (void)taper::kl_div(x, y, true);                                    // rejected
  (void)nn::HuberLoss({.delta = true});                               // rejected
  (void)nn::CTCLoss({.blank = true});                                 // rejected
  (void)nn::TripletMarginWithDistanceLoss({.margin = true});          // rejected
  (void)nn::LinearCrossEntropyLoss(2, 3, {.ignore_index = true});     // rejected
  (void)nn::LinearCrossEntropyLoss(2, 3, {.label_smoothing = true});  // rejected
}
