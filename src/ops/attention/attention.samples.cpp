#include "ops/attention/attention.h"
#include "ops/samples.h"

namespace taper {
namespace {

using Forward = ScaledDotProductAttention;
using Backward = ScaledDotProductAttentionBackward;
const TensorSpec kNone = TensorSpec::none();

}  // namespace

TAPER_DEFINE_SAMPLES(scaled_dot_product_attention) {
  return {
      sample<Forward>({{2, 2, 5, 4}, {2, 2, 6, 4}, {2, 2, 6, 3}, kNone}),
      sample<Forward>({{2, 7, 3}, {2, 5, 3}, {2, 5, 3}, kNone}, {.is_causal = true}),
      sample<Forward>({{5, 4}, {6, 4}, {6, 4}, {5, 6}}, {.scale = 0.7}),
      sample<Forward>({{2, 4, 3, 4}, {2, 2, 6, 4}, {2, 2, 6, 5}, TensorSpec::mask({3, 6}, 9)}),
      sample<Forward>({{2, 3, 2, 5}, {2, 3, 4, 5}, {2, 3, 4, 2}, {2, 1, 1, 4}},
                      {.is_causal = true, .scale = -0.5}),
      sample<Forward>({{1, 2, 1, 20}, {1, 2, 9, 20}, {1, 2, 9, 20}, kNone}),
      // Several blocks of queries and keys.
      skip_gradient_check(sample<Forward>({{1, 2, 70, 4}, {1, 1, 260, 4}, {1, 1, 260, 18}, kNone})),
      skip_gradient_check(
          sample<Forward>({{1, 130, 3}, {1, 270, 3}, {1, 270, 3}, kNone}, {.is_causal = true})),
      skip_gradient_check(sample<Forward>({{2, 1, 66, 4},
                                           {2, 1, 260, 4},
                                           {2, 1, 260, 4},
                                           TensorSpec::mask({2, 1, 66, 260}, 12000)}))};
}

// The output and logarithms need not be those of the query, key and value.
TAPER_DEFINE_SAMPLES(scaled_dot_product_attention_backward) {
  const TensorSpec out3{2, 2, 5, 3};
  return {
      sample<Backward>({out3,
                        {2, 2, 5, 4},
                        {2, 2, 6, 4},
                        {2, 2, 6, 3},
                        out3,
                        {2, 2, 5},
                        {2, 2, 5},
                        kNone,
                        kNone}),
      sample<Backward>(
          {{2, 7, 3}, {2, 7, 3}, {2, 5, 3}, {2, 5, 3}, {2, 7, 3}, {2, 7}, {2, 7}, {2, 7}, kNone},
          {.is_causal = true}),
      sample<Backward>({{5, 4}, {5, 4}, {6, 4}, {6, 4}, {5, 4}, {5}, {5}, {5}, {5, 6}},
                       {.scale = 0.7, .compute_grad_mask = true}),
      sample<Backward>({{2, 4, 3, 5},
                        {2, 4, 3, 4},
                        {2, 2, 6, 4},
                        {2, 2, 6, 5},
                        {2, 4, 3, 5},
                        {2, 4, 3},
                        {2, 4, 3},
                        kNone,
                        TensorSpec::mask({3, 6}, 9)},
                       {.scale = -0.5, .compute_grad_query = false}),
      sample<Backward>({{2, 3, 2, 2},
                        {2, 3, 2, 5},
                        {2, 3, 4, 5},
                        {2, 3, 4, 2},
                        {2, 3, 2, 2},
                        {2, 3, 2},
                        {2, 3, 2},
                        kNone,
                        {2, 1, 1, 4}},
                       {.is_causal = true,
                        .compute_grad_key = false,
                        .compute_grad_value = false,
                        .compute_grad_mask = true}),
      // Several blocks of queries and keys, and several groups of blocks.
      skip_gradient_check(sample<Backward>({{1, 2, 140, 18},
                                            {1, 2, 140, 4},
                                            {1, 1, 260, 4},
                                            {1, 1, 260, 18},
                                            {1, 2, 140, 18},
                                            {1, 2, 140},
                                            {1, 2, 140},
                                            kNone,
                                            kNone})),
      skip_gradient_check(sample<Backward>({{1, 200, 3},
                                            {1, 200, 3},
                                            {1, 520, 3},
                                            {1, 520, 3},
                                            {1, 200, 3},
                                            {1, 200},
                                            {1, 200},
                                            kNone,
                                            kNone},
                                           {.is_causal = true})),
      skip_gradient_check(sample<Backward>({{2, 1, 130, 4},
                                            {2, 1, 130, 4},
                                            {2, 1, 135, 4},
                                            {2, 1, 135, 4},
                                            {2, 1, 130, 4},
                                            {2, 1, 130},
                                            {2, 1, 130},
                                            kNone,
                                            {130, 1}},
                                           {.compute_grad_mask = true}))};
}

}  // namespace taper
