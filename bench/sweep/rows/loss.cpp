// Rows of the sweep: losses and distances.
#include "sweep/row.h"

namespace taper::bench {

SweepFamily loss_rows() {
  return {"loss",
          {
              OP(1, "x[r,c] i[r]=index:c", F::cross_entropy(x, i)).also("bf16"),
              OP(1, "x[B,C,H,W] i[B,H,W]=index:C", F::cross_entropy(x, i)),
              OP(1, "x[r,c] i[r]=index:c", F::cross_entropy(x, i, {.label_smoothing = 0.1})),
              OP(1, "x[r,c] y[r,c]=probabilities~", F::cross_entropy(x, y)),
              OP(1, "x[r,c] i[r]=index:c", F::nll_loss(x, i)),
              OP(1, "x[n] y[n]~", F::mse_loss(x, y)).also("bf16"),
              OP(1, "x[n] y[n]~", F::l1_loss(x, y)),
              OP(1, "x[n] y[n]~", F::smooth_l1_loss(x, y)),
              OP(1, "x[n] y[n]~", F::huber_loss(x, y)),
              OP(1, "x[n]=uniform y[n]=uniform~", F::binary_cross_entropy(x, y)),
              OP(1, "x[n] y[n]=uniform~", F::binary_cross_entropy_with_logits(x, y)),
              OP(1, "x[r,c] y[r,c]=probabilities~", F::kl_div(x, y, {.reduction = "batchmean"})),
              OP(1, "x[r,c] y[r,c]", F::cosine_similarity(x, y)),
              OP(2, "x[n] y[n]=uniform~", F::poisson_nll_loss(x, y)),
              OP(2, "x[n] y[n]~ z[n]=positive", F::gaussian_nll_loss(x, y, z)),
              OP(2, "x[r] y[r] z[r]=ones~", F::margin_ranking_loss(x, y, z)),
              OP(2, "x[r,c] y[r,c] z[r,c]", F::triplet_margin_loss(x, y, z)),
              OP(2, "x[r,c] y[r,c] z[r]=ones~", F::cosine_embedding_loss(x, y, z)),
              OP(2, "x[r,c] y[r,c]=uniform~", F::multilabel_soft_margin_loss(x, y)),
              OP(3, "x[n] y[n]=ones~", F::hinge_embedding_loss(x, y)),
              OP(3, "x[n] y[n]=ones~", F::soft_margin_loss(x, y)),
              OP(3, "x[r,c] i[r]=index:c", F::multi_margin_loss(x, i)),
              OP(3, "x[r,c] i[r,c]=index:c", F::multilabel_margin_loss(x, i)).sizes(2),
              OP(2, "x[r,c] y[r,c]", F::pairwise_distance(x, y)),
              OP(2, "x[s,s] y[s,s]", cdist(x, y)),
              OP(2, "x[s,32] y[s,32]", cdist(x, y, 1.0)),
              OP(2, "x[s,32]", F::pdist(x)),
              OP(2, "x[d,4,C] i[4,30]=index:C",
                 F::ctc_loss(x.log_softmax(2), i, full({4}, d, {.dtype = DType::i64}),
                             full({4}, 30, {.dtype = DType::i64}), {.zero_infinity = true})),
          }};
}

}  // namespace taper::bench
