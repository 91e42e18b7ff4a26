// Embeddings, normalizations, attention and transformers.
#include "taper/nn/transformer.h"

#include "nets.h"
#include "taper/nn/nn.h"

namespace {

using namespace nets;

Tensor causal(std::int64_t size) { return nn::Transformer::generate_square_subsequent_mask(size); }

TEST(Embedding, SelectsRowsAndLimitsTheirNorm) {
  const Tensor rows = tensor({{3, 4}, {0.3, 0.4}, {1, 0}}, {.dtype = float32});
  const auto layer = nn::Embedding::from_pretrained(rows, {.max_norm = 1.0});
  EXPECT_FALSE(layer.weight.requires_grad());
  const Tensor y = layer(tensor({{0, 1}, {1, 0}}));
  EXPECT_EQ(y.shape(), (Shape{2, 2, 2}));
  EXPECT_NEAR(y.select(0, 0).select(0, 0).norm().item<double>(), 1, 1e-6);
  EXPECT_TRUE(equal(layer.weight[1], tensor({0.3, 0.4}, {.dtype = float32})));
}

TEST(Embedding, RejectsIndicesOutOfRange) {
  const nn::Embedding layer(4, 2);
  EXPECT_EQ(error_text<IndexError>([&] {
              static_cast<void>(layer(tensor({0, 4})));
            }),
            "embedding: index out of range: got 4, expected an index in [0, 4)\n  in Embedding(4, "
            "2), called with int64 "
            "[2]");
  EXPECT_THROW(static_cast<void>(layer(tensor({0, -1}))), IndexError);
}

TEST(EmbeddingBag, RejectsInvalidOffsetsAndKeepsTheWeight) {
  const nn::EmbeddingBag layer(4, 2, {.max_norm = 0.1, .mode = "sum"});
  const Tensor before = layer.weight.detach().clone();
  EXPECT_THROW(static_cast<void>(layer(tensor({0, 9}), {.offsets = tensor({0})})), IndexError);
  EXPECT_THROW(static_cast<void>(layer(tensor({0, 1}))), ValueError);
  EXPECT_TRUE(equal(layer.weight.detach(), before));
}

TEST(OneHot, RejectsInvalidClasses) {
  EXPECT_TRUE(equal(F::one_hot(tensor({2, 0})), tensor({{0, 0, 1}, {1, 0, 0}})));
  EXPECT_THROW(static_cast<void>(F::one_hot(tensor({3}), 3)), ValueError);
  EXPECT_THROW(static_cast<void>(F::one_hot(tensor({-1}))), ValueError);
  EXPECT_THROW(static_cast<void>(F::one_hot(tensor({1.5}))), DTypeError);
  EXPECT_THROW(static_cast<void>(F::one_hot(zeros({0}, {.dtype = int64}))), ValueError);
}

TEST(LayerNorm, NormalizesRows) {
  const Tensor x = rand({5, 7, 33});
  const Tensor y = nn::LayerNorm({7, 33})(x);
  EXPECT_NEAR(y.mean({1, 2}).abs().max().item<double>(), 0, 1e-6);
  EXPECT_NEAR(y.square().mean({1, 2}).min().item<double>(), 1, 1e-3);
}

TEST(LayerNorm, IsCreatedFromSizesInBraces) {
  const int size = 6;
  EXPECT_EQ(nn::LayerNorm({size}).normalized_shape, (Shape{6}));
  EXPECT_EQ(nn::LayerNorm({size}, {.eps = 1e-3}).normalized_shape, (Shape{6}));
  EXPECT_EQ(nn::LayerNorm({5, 6}).normalized_shape, (Shape{5, 6}));
  EXPECT_EQ(nn::RMSNorm({size}).normalized_shape, (Shape{6}));
  EXPECT_EQ(nn::AdaptiveAvgPool1d({3})(ones({1, 2, size})).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(nn::ZeroPad1d({1})(ones({2, size})).shape(), (Shape{2, 8}));
}

TEST(GroupNorm, OfOneGroupEqualsLayerNorm) {
  const Tensor x = randn({2, 6, 5});
  const Tensor a = F::group_norm(x, 1), b = F::layer_norm(x, {6, 5});
  EXPECT_LT((a - b).abs().max().item<double>(), 1e-6);
}

TEST(ScaledDotProductAttention, IgnoresRowsWithoutKeys) {
  const Tensor x = randn({3, 4}), query = randn({3, 4}).set_requires_grad();
  const Tensor mask = tensor({{true, false, true}, {false, false, false}, {true, true, true}});
  const Tensor y = F::scaled_dot_product_attention(query, x, x, {.attn_mask = mask});
  EXPECT_TRUE(equal(y[1], zeros({4})));
  EXPECT_TRUE(y.isfinite().all().item<bool>());
  y.sum().backward();
  EXPECT_TRUE(equal(query.grad()[1], zeros({4})));
  EXPECT_TRUE(query.grad().isfinite().all().item<bool>());
}

TEST(MultiheadAttention, AcceptsBatchFirstAndUnbatchedInput) {
  manual_seed(1);
  nn::MultiheadAttention first(4, 2, {.batch_first = true});
  const Tensor x = randn({3, 5, 4});
  const auto [batched, weights] = first(x, x, x);
  EXPECT_EQ(weights.shape(), (Shape{3, 5, 5}));
  const Tensor one = x[1];
  const auto [single, none] = first(one, one, one, {.need_weights = false});
  EXPECT_FALSE(none.defined());
  EXPECT_LT((single - batched[1]).abs().max().item<double>(), 1e-6);
}

TEST(MultiheadAttention, RejectsWrongMasks) {
  const nn::MultiheadAttention layer(4, 2);
  const Tensor x = randn({3, 2, 4});
  const Tensor mask = zeros({2, 3}, {.dtype = bool_});
  EXPECT_EQ(
      error_text<ShapeError>([&] { static_cast<void>(layer(x, x, x, {.attn_mask = mask})); }),
      "The shape of the 2D attn_mask is torch.Size([2, 3]), but should be (3, 3).\n  in "
      "MultiheadAttention, called with float32 [3, 2, 4], float32 [3, 2, 4], float32 [3, 2, 4], "
      "bool [2, 3]");
  EXPECT_THROW(static_cast<void>(layer(x, x, x, {.is_causal = true})), ValueError);
}

TEST(Transformer, CausalMaskHidesLaterPositions) {
  manual_seed(2);
  nn::Transformer net({.d_model = 8,
                       .nhead = 2,
                       .num_encoder_layers = 1,
                       .num_decoder_layers = 2,
                       .dim_feedforward = 16,
                       .activation = "gelu",
                       .batch_first = true});
  net.eval();
  const Tensor src = randn({2, 3, 8}), tgt = randn({2, 4, 8});
  const Tensor y = net(src, tgt, {.tgt_mask = causal(4)});
  const Tensor changed = tgt.clone();
  changed.narrow(1, 3, 1).zero_();
  const Tensor z = net(src, changed, {.tgt_mask = causal(4)});
  EXPECT_TRUE(equal(y.narrow(1, 0, 3), z.narrow(1, 0, 3)));
  EXPECT_FALSE(equal(y, z));
}

TEST(TransformerEncoder, CopiesItsLayer) {
  const nn::TransformerEncoderLayer layer(4, 2, {.dim_feedforward = 6});
  const nn::TransformerEncoder net(layer, 2);
  const auto& first = *net.layers[0].as<nn::TransformerEncoderLayer>();
  const auto& second = *net.layers[1].as<nn::TransformerEncoderLayer>();
  EXPECT_TRUE(equal(first.linear1.weight.detach(), second.linear1.weight.detach()));
  EXPECT_FALSE(first.linear1.weight.shares_storage_with(second.linear1.weight));
}

TEST(Transformer, CloneIsIndependent) {
  nn::Transformer net({.d_model = 4,
                       .nhead = 2,
                       .num_encoder_layers = 1,
                       .num_decoder_layers = 1,
                       .dim_feedforward = 4});
  const nn::Transformer copy = net.clone();
  EXPECT_EQ(copy.str(), net.str());
  EXPECT_FALSE(copy.encoder == net.encoder);
}

}  // namespace
