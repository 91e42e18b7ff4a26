// scaled_dot_product_attention: one op for most arguments, the same result as composed ops.
#include <cmath>
#include <limits>

#include "nets.h"
#include "ops/attention/functions.h"
#include "taper/autograd/gradcheck.h"
#include "taper/core/parallel.h"
#include "taper/nn/functional.h"

namespace {

using namespace nets;

using SdpaOptions = F::ScaledDotProductAttentionFuncOptions;

/// Attention composed of products and a softmax, for a float mask without fully masked rows.
Tensor compose_attention(const Tensor& q, const Tensor& k, const Tensor& v, double scale,
                         const Tensor& mask) {
  Tensor scores = q.matmul(k.transpose(-2, -1)).mul(scale);
  if (mask.defined()) scores = scores + mask;
  return scores.softmax(-1).matmul(v);
}

void expect_near(const Tensor& a, const Tensor& b, double tolerance) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_LE((a - b).abs().max().item<double>(), tolerance);
}

struct AttentionShapes {
  Shape query, key;
};

/// Compares outputs and gradients of both forms in f32, whose rounding errors grow with the number
/// of summands.
void expect_equals_composed(const AttentionShapes& s, const Tensor& mask, bool causal) {
  manual_seed(3);
  std::vector<Tensor> leaves{randn(s.query), randn(s.key), randn(s.key)};
  for (Tensor& t : leaves) t.set_requires_grad();
  const auto [q, k, v] = std::tuple(leaves[0], leaves[1], leaves[2]);
  SdpaOptions o{.is_causal = causal};
  if (mask.defined()) o.attn_mask = mask;
  Tensor added = mask;
  if (causal)
    added = full({q.size(-2), k.size(-2)}, -std::numeric_limits<double>::infinity()).triu(1);
  if (mask.defined() && mask.dtype() == DType::bool_)
    added = zeros(mask.shape())
                .masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
  const Tensor got = F::scaled_dot_product_attention(q, k, v, o);
  const Tensor expected =
      compose_attention(q, k, v, 1 / std::sqrt(static_cast<double>(q.size(-1))), added);
  expect_near(got, expected, 2e-6);
  const std::vector<Tensor> g{randn(got.shape())};
  const auto a = autograd::grad({got}, leaves, {.grad_outputs = g});
  const auto b = autograd::grad({expected}, leaves, {.grad_outputs = g});
  for (std::size_t i = 0; i < 3; ++i) expect_near(a[i], b[i], 2e-5);
}

TEST(FusedAttention, EqualsComposedOps) {
  const AttentionShapes some{{2, 3, 150, 20}, {2, 3, 300, 20}};
  expect_equals_composed(some, Tensor(), false);
  expect_equals_composed(some, Tensor(), true);
  expect_equals_composed(some, randn({150, 300}), false);
  expect_equals_composed(some, rand({2, 1, 150, 300}) > 0.3, false);
  expect_equals_composed(some, rand({2, 1, 1, 300}) > 0.3, false);
  expect_equals_composed({{1, 700, 16}, {1, 700, 16}}, Tensor(), true);
  expect_equals_composed({{1, 4, 1, 64}, {1, 4, 512, 64}}, Tensor(), false);
  expect_equals_composed({{3, 2, 33, 70}, {3, 2, 17, 70}}, Tensor(), false);
}

TEST(FusedAttention, IsOneNode) {
  const Tensor q = randn({1, 2, 3, 4}).set_requires_grad();
  const Tensor y = F::scaled_dot_product_attention(q, q, q);
  EXPECT_EQ(y.grad_fn().name(), "ScaledDotProductFlashAttentionForCpuBackward0");
}

TEST(FusedAttention, DoesNotDependOnTheNumberOfThreads) {
  const int before = get_num_threads();
  manual_seed(4);
  const Tensor q = randn({1, 3, 300, 24}).set_requires_grad(), g = randn({1, 3, 300, 24});
  std::vector<Tensor> outputs, gradients;
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    const Tensor y = F::scaled_dot_product_attention(q, q, q, {.is_causal = true});
    outputs.push_back(y.detach());
    gradients.push_back(autograd::grad({y}, {q}, {.grad_outputs = {g}})[0]);
  }
  set_num_threads(before);
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_TRUE(equal(outputs[0], outputs[i]));
    EXPECT_TRUE(equal(gradients[0], gradients[i]));
  }
}

TEST(FusedAttention, SharesHeadsOfKeys) {
  manual_seed(5);
  const Tensor q = randn({2, 6, 70, 8}).set_requires_grad();
  const Tensor k = randn({2, 2, 40, 8}).set_requires_grad(), v = randn({2, 2, 40, 8});
  const Tensor y = F::scaled_dot_product_attention(q, k, v, {.enable_gqa = true});
  const Tensor expected =
      F::scaled_dot_product_attention(q, k.repeat_interleave(3, 1), v.repeat_interleave(3, 1));
  expect_near(y, expected, 1e-6);
  const Tensor g = randn(y.shape());
  const auto a = autograd::grad({y}, {q, k}, {.grad_outputs = {g}});
  const auto b = autograd::grad({expected}, {q, k}, {.grad_outputs = {g}});
  for (std::size_t i = 0; i < 2; ++i) expect_near(a[i], b[i], 1e-5);
}

TEST(FusedAttention, PreservesTheMemoryOrderOfTheQuery) {
  const Tensor packed = randn({2, 5, 3 * 4 * 6});
  const auto head = [&](std::int64_t i) {
    return packed.narrow(-1, i * 24, 24).reshape({2, 5, 4, 6}).transpose(1, 2);
  };
  const Tensor y = F::scaled_dot_product_attention(head(0), head(1), head(2));
  EXPECT_TRUE(y.transpose(1, 2).is_contiguous());
  const Tensor z = F::scaled_dot_product_attention(head(0).clone(), head(1), head(2));
  EXPECT_TRUE(allclose(y, z, 1e-6, 1e-6));
}

TEST(FusedAttention, ComputesRowsWithoutKeys) {
  const Tensor q = randn({2, 3, 4}).set_requires_grad(), none = zeros({2, 0, 4});
  const Tensor y = F::scaled_dot_product_attention(q, none, none);
  EXPECT_TRUE(equal(y, zeros({2, 3, 4})));
  y.sum().backward();
  EXPECT_TRUE(equal(q.grad(), zeros({2, 3, 4})));
  const Tensor k = randn({2, 5, 4});
  const Tensor mask = ones({3, 5}).mul(-std::numeric_limits<double>::infinity());
  const auto [masked, logsumexp] = scaled_dot_product_flash_attention(q, k, k, mask);
  EXPECT_TRUE(equal(masked, zeros({2, 3, 4})));
  EXPECT_TRUE(equal(logsumexp, mask.narrow(1, 0, 1).transpose(0, 1).expand({2, 3})));
}

TEST(FusedAttention, DifferentiatesTheMask) {
  const Tensor q = randn({2, 3, 4}, {.dtype = float64}).set_requires_grad();
  const Tensor mask = randn({3, 1}, {.dtype = float64}).set_requires_grad();
  const Tensor bias = randn({1, 3, 3}, {.dtype = float64}).set_requires_grad();
  const auto f = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{
        F::scaled_dot_product_attention(in[0], in[0], in[0], {.attn_mask = in[1] + in[2]})};
  };
  EXPECT_TRUE(autograd::gradcheck(f, {q, mask, bias}));
  EXPECT_TRUE(autograd::gradgradcheck(f, {q, mask, bias}));
}

TEST(FusedAttention, RejectsMasksThatWouldEnlargeTheWeights) {
  const Tensor q = ones({1, 2, 3});
  EXPECT_EQ(error_text<ShapeError>([&] {
              return F::scaled_dot_product_attention(q, q, q, {.attn_mask = zeros({4, 2, 2})});
            }),
            "scaled_dot_product_attention: attn_mask of shape [4, 2, 2] cannot be broadcast to the "
            "weights, which have shape [1, 2, 2]");
  EXPECT_EQ(F::scaled_dot_product_attention(q, q, q, {.attn_mask = zeros({1, 2, 1})}).shape(),
            q.shape());
}

TEST(FusedAttention, BroadcastsBatchesAsComposedOps) {
  const Tensor q = randn({1, 2, 3, 4}), k = randn({5, 2, 6, 4}), v = randn({5, 1, 6, 4});
  const Tensor y = F::scaled_dot_product_attention(q, k, v);
  const Tensor expected =
      F::scaled_dot_product_attention(q.expand({5, 2, 3, 4}), k, v.expand({5, 2, 6, 4}));
  expect_near(y, expected, 1e-6);
}

// The logarithm of the softmax denominator has no digits beside these scores.
TEST(FusedAttention, GradientsUseTheWeightsOfRowsMaskedByFiniteNumbers) {
  for (const DType dtype : {float32, float64, bfloat16, float16})
    for (const double low : {-1e9, -1e30, -1e4}) {
      if (dtype == float16 && low < -60000) continue;
      const Tensor mask = full({3, 5}, low, {.dtype = dtype});
      mask[0].fill_(0);
      const Tensor q = zeros({2, 3, 4}, {.dtype = dtype}), k = zeros({2, 5, 4}, {.dtype = dtype});
      const Tensor v = ones({2, 5, 2}, {.dtype = dtype, .requires_grad = true});
      const Tensor y = F::scaled_dot_product_attention(q, k, v, {.attn_mask = mask});
      // Each of the three queries has the weight 1/5 for each key.
      const Tensor want = full({2, 5, 2}, 0.6, {.dtype = dtype});
      EXPECT_TRUE(allclose(autograd::grad(y.sum(), v), want, 1e-2, 0)) << dtype << low;
    }
}

TEST(FusedAttention, GradientsOfLargeScores) {
  manual_seed(6);
  for (const double scale : {1e2, 1e4, 1e6}) {
    const AttentionShapes s{{2, 150, 8}, {2, 200, 8}};
    // The products are 0, so that both forms have the same scores, near a large number.
    const Tensor offset = full({150, 1}, scale), mask = rand({150, 200}) + offset;
    const Tensor q = zeros(s.query), k = randn(s.key), v = randn(s.key);
    std::vector<Tensor> leaves{q, k, v, mask};
    for (Tensor& t : leaves) t.set_requires_grad();
    const Tensor y = F::scaled_dot_product_attention(q, k, v, {.attn_mask = mask});
    const Tensor expected = compose_attention(q, k, v, 1 / std::sqrt(8.0), mask);
    const std::vector<Tensor> g{randn(y.shape())};
    const auto a = autograd::grad({y}, leaves, {.grad_outputs = g});
    const auto b = autograd::grad({expected}, leaves, {.grad_outputs = g});
    for (std::size_t i = 0; i < leaves.size(); ++i) expect_near(a[i], b[i], 1e-5);
  }
}

}  // namespace
