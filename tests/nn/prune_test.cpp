// nn::utils::prune.
#include "taper/nn/utils/prune.h"
#include "nets.h"
#include "taper/autograd/autograd.h"
#include "taper/core/generator.h"
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"
#include "taper/nn/rnn.h"
#include "taper/nn/sequential.h"

namespace {

using namespace nets;
namespace prune = nn::utils::prune;

/// Returns a layer with the weight 1, -2, 3, -4, 5, -6 in rows of two.
nn::Linear numbered() {
  nn::Linear m(2, 3);
  const NoGrad guard;
  m.weight.copy_(tensor({{1.f, -2.f}, {3.f, -4.f}, {5.f, -6.f}}));
  m.bias->zero_();
  return m;
}
Tensor mask_of(nn::Module& m, const std::string& name = "weight") {
  return m.get_buffer(name + "_mask");
}

// R9.3-16, R9.4-07
TEST(Prune, SplitsParameterIntoOriginalAndMask) {
  nn::Linear m = numbered();
  const Tensor original = m.weight;
  EXPECT_EQ(&prune::l1_unstructured(m, "weight", 2), &m);
  EXPECT_EQ(keys(m.state_dict()), "bias weight_orig weight_mask");
  EXPECT_EQ(names(m.named_parameters()), "bias weight_orig");
  EXPECT_TRUE(m.get_parameter("weight_orig").is_same(original)) << "optimizers keep it";
  EXPECT_TRUE(equal(mask_of(m), tensor({{0.f, 0.f}, {1.f, 1.f}, {1.f, 1.f}})));
  EXPECT_TRUE(equal(m.weight, tensor({{0.f, 0.f}, {3.f, -4.f}, {5.f, -6.f}})));
  EXPECT_TRUE(equal(m.get_attr("weight").as_tensor(), m.weight));
  EXPECT_EQ(m.str(), "Linear(in_features=2, out_features=3, bias=True)");
  EXPECT_TRUE(prune::is_pruned(m));
}

// R9.3-16
TEST(Prune, ComputesProductBeforeEachCall) {
  nn::Linear m = numbered();
  prune::l1_unstructured(m, "weight", 0.5);
  const Tensor x = ones({1, 2});
  EXPECT_TRUE(equal(m(x), tensor({{0.f, -4.f, -1.f}})));
  {
    const NoGrad guard;
    m.get_parameter("weight_orig").fill_(1);
  }
  EXPECT_TRUE(equal(m.weight[2], tensor({5.f, -6.f}))) << "the last value until the next call";
  EXPECT_TRUE(equal(m(x), tensor({{0.f, 1.f, 2.f}})));
  m(x).sum().backward();
  EXPECT_TRUE(equal(m.get_parameter("weight_orig").grad(), mask_of(m)));
  nn::Linear copy = m.clone();
  prune::l1_unstructured(copy, "weight", 1);
  EXPECT_EQ(mask_of(copy).sum().item<float>(), 2);
  EXPECT_EQ(mask_of(m).sum().item<float>(), 3) << "the copy is pruned for itself";
  copy.load_state_dict(m.state_dict());
  EXPECT_TRUE(equal(copy(x), m(x)));
}

// R9.3-16, R9.4-07
TEST(Prune, RemoveMakesPruningPermanent) {
  nn::Linear m = numbered();
  const Tensor original = m.weight;
  prune::l1_unstructured(m, "weight", 2);
  EXPECT_EQ(&prune::remove(m, "weight"), &m);
  EXPECT_EQ(keys(m.state_dict()), "bias weight");
  EXPECT_TRUE(m.weight.is_same(original));
  EXPECT_TRUE(equal(original, tensor({{0.f, 0.f}, {3.f, -4.f}, {5.f, -6.f}})));
  EXPECT_TRUE(original.requires_grad() && original.is_leaf());
  EXPECT_FALSE(prune::is_pruned(m));
  EXPECT_EQ(error_message<ValueError>([&] { prune::remove(m, "weight"); }),
            "Parameter 'weight' of module Linear(in_features=2, out_features=3, bias=True) has to "
            "be pruned before pruning can be removed");
}

// R9.4-07
TEST(Prune, SecondPruningAppliesToRemainingElements) {
  nn::Linear m = numbered();
  prune::l1_unstructured(m, "weight", 2);
  const auto method = prune::apply<prune::L1Unstructured>(m, "weight", 0.5);
  EXPECT_TRUE(equal(mask_of(m), tensor({{0.f, 0.f}, {0.f, 0.f}, {1.f, 1.f}})));
  const auto& all = dynamic_cast<const prune::PruningContainer&>(*method);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].tensor_name, "weight");
  prune::ln_structured(m, "weight", 1, 2, 1);
  EXPECT_TRUE(equal(mask_of(m), tensor({{0.f, 0.f}, {0.f, 0.f}, {0.f, 1.f}})));
  nn::Linear rows = numbered();
  prune::ln_structured(rows, "weight", 1, "fro", 0);
  prune::ln_structured(rows, "weight", 0.5, 1, 0);
  EXPECT_TRUE(equal(mask_of(rows), tensor({{0.f, 0.f}, {0.f, 0.f}, {1.f, 1.f}})))
      << "of the two rows that were left";
  prune::identity(rows, "weight");
  prune::custom_from_mask(rows, "weight", tensor({{1.f, 1.f}, {1.f, 1.f}, {1.f, 0.f}}));
  EXPECT_EQ(mask_of(rows).sum().item<float>(), 1);
  EXPECT_EQ(rows.weight[2][0].item<float>(), 5);
  EXPECT_TRUE(prune::is_pruned(rows));
}

// R9.4-07
TEST(Prune, AmountsAreCountsOrFractions) {
  const Tensor t = tensor({{1.f, -2.f}, {3.f, -4.f}, {5.f, -6.f}});
  const auto left = [&](const Scalar& amount) {
    return prune::L1Unstructured(amount).compute_mask(t, ones_like(t)).sum().item<int>();
  };
  EXPECT_EQ(left(0), 6);
  EXPECT_EQ(left(6), 0);
  EXPECT_EQ(left(0.25), 4) << "1.5 is rounded to 2";
  EXPECT_EQ(left(0.75), 2) << "4.5 is rounded to 4, which is even";
  EXPECT_EQ(left(1.0), 0);
  EXPECT_TRUE(
      equal(prune::L1Unstructured(1).prune(t), t * tensor({{0.f, 1.f}, {1.f, 1.f}, {1.f, 1.f}})));
  EXPECT_TRUE(
      equal(prune::L1Unstructured(1).prune(t, {}, -t.abs()), prune::L1Unstructured(1).prune(t)))
      << "scores count by magnitude";
  EXPECT_TRUE(
      equal(prune::L1Unstructured(1).prune(t, {}, 7 - t.abs()).select(0, 2), tensor({5.f, 0.f})));
  EXPECT_EQ(error_message<ValueError>([] { prune::L1Unstructured(1.5); }),
            "amount=1.5 should either be a float in the range [0, 1] or a non-negative integer");
  EXPECT_EQ(error_message<ValueError>([] { prune::L1Unstructured(-1); }),
            "amount=-1 should either be a float in the range [0, 1] or a non-negative integer");
  EXPECT_EQ(error_message<ValueError>([&] { left(9); }),
            "amount=9 should be smaller than the number of parameters to prune=6");
}

// R9.4-07
TEST(Prune, RandomMethodsDrawPerElementOrChannel) {
  nn::Linear m = numbered();
  manual_seed(5);
  const Tensor chance = rand({3, 2});
  manual_seed(5);
  prune::random_unstructured(m, "weight", 1);
  EXPECT_EQ(mask_of(m).view({-1}).argmin().item<int>(), chance.view({-1}).argmax().item<int>());
  EXPECT_EQ(mask_of(m).sum().item<int>(), 5);
  nn::Conv2d conv(2, 5, 3);
  manual_seed(6);
  const Tensor channels = rand({5});
  manual_seed(6);
  prune::random_structured(conv, "weight", 1, 0);
  const Tensor kept = mask_of(conv).sum(Dims{1, 2, 3});
  EXPECT_EQ(kept.argmin().item<int>(), channels.argmin().item<int>());
  EXPECT_EQ(kept.sum().item<int>(), 4 * 18);
}

// R9.4-07
TEST(Prune, GlobalPruningRemovesSmallestOfAllTensors) {
  nn::Sequential net{numbered(), nn::Linear(3, 1)};
  auto &first = *net[0].as<nn::Linear>(), &second = *net[1].as<nn::Linear>();
  {
    const NoGrad guard;
    second.weight.copy_(tensor({{0.5f, 10.f, 2.5f}}));
  }
  prune::global_unstructured<prune::L1Unstructured>({{first, "weight"}, {second, "weight"}}, 3);
  EXPECT_TRUE(equal(mask_of(first), tensor({{0.f, 0.f}, {1.f, 1.f}, {1.f, 1.f}})));
  EXPECT_TRUE(equal(mask_of(second), tensor({{0.f, 1.f, 1.f}})));
  prune::global_unstructured<prune::L1Unstructured>(
      {{first, "weight", -full({3, 2}, 9.f)}, {second, "weight"}}, 1);
  EXPECT_TRUE(equal(mask_of(second), tensor({{0.f, 1.f, 0.f}})));
  EXPECT_TRUE(prune::is_pruned(net));
  EXPECT_EQ(error_message<TypeError>([&] {
              prune::global_unstructured<prune::RandomStructured>({{first, "weight"}}, 1);
            }),
            "Only \"unstructured\" PRUNING_TYPE supported for the `pruning_method`. Found a method "
            "of type structured");
}

// R9.3-16: weights that are dynamic entries can be pruned as well.
TEST(Prune, SupportsWeightsOfRecurrentLayers) {
  nn::GRU gru(2, 3);
  const Tensor x = randn({4, 1, 2});
  const Tensor whole = gru(x).first;
  prune::l1_unstructured(gru, "weight_ih_l0", 1.0);
  prune::l1_unstructured(gru, "bias_ih_l0", 1.0);
  EXPECT_FALSE(allclose(gru(x).first, whole));
  EXPECT_TRUE(equal(gru(x).first, gru(zeros({4, 1, 2})).first)) << "the input counts no more";
  EXPECT_EQ(gru.all_weights()[0][0].abs().sum().item<float>(), 0);
  prune::remove(gru, "weight_ih_l0");
  prune::remove(gru, "bias_ih_l0");
  EXPECT_EQ(names(gru.named_parameters()), "weight_hh_l0 bias_hh_l0 weight_ih_l0 bias_ih_l0");
  EXPECT_TRUE(equal(gru(x).first, gru(zeros({4, 1, 2})).first));
}

/// Method that prunes every second element, beginning with the first.
struct AlternateMask : prune::BasePruningMethod {
  Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override {
    const Tensor mask = default_mask.clone();
    mask.view({-1}).slice(0, {}, {}, 2).fill_(0);
    EXPECT_EQ(mask.shape(), t.shape());
    return mask;
  }
};

// R9.4-07
TEST(Prune, AcceptsUserDefinedMethods) {
  nn::Linear m = numbered();
  prune::apply<AlternateMask>(m, "weight");
  EXPECT_TRUE(equal(mask_of(m), tensor({{0.f, 1.f}, {0.f, 1.f}, {0.f, 1.f}})));
  prune::apply<AlternateMask>(m, "weight");
  EXPECT_TRUE(equal(mask_of(m), tensor({{0.f, 0.f}, {0.f, 1.f}, {0.f, 0.f}})));
  EXPECT_THROW(AlternateMask().channel_dim(), AttributeError);
  EXPECT_THROW(AlternateMask().apply_mask(m), AssertionError);
  prune::PruningContainer row;
  EXPECT_THROW(row.add_pruning_method(nullptr), TypeError);
  auto other = std::make_shared<AlternateMask>();
  other->tensor_name = "bias";
  EXPECT_THROW(row.add_pruning_method(other), ValueError);
  EXPECT_THROW(row.compute_mask(ones({2}), ones({2})), ValueError);
}

// R9.4-07
TEST(Prune, RejectedPruningLeavesModuleUnchanged) {
  nn::Linear m = numbered();
  const std::string before = m.state_dict().repr();
  EXPECT_THROW(prune::l1_unstructured(m, "wait", 1), AttributeError);
  EXPECT_THROW(prune::l1_unstructured(m, "weight", 7), ValueError);
  EXPECT_EQ(
      error_message<AssertionError>([&] { prune::l1_unstructured(m, "weight", 1, ones({2})); }),
      "importance_scores should have the same shape as parameter weight of "
      "Linear(in_features=2, out_features=3, bias=True), got torch.Size([2]) vs "
      "torch.Size([3, 2])");
  EXPECT_EQ(error_message<ValueError>([&] { prune::ln_structured(m, "bias", 1, 2, 0); }),
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of "
            "shape torch.Size([3]) with 1 dims");
  EXPECT_EQ(error_message<IndexError>([&] { prune::random_structured(m, "weight", 1, 2); }),
            "Invalid index 2 for tensor of size torch.Size([3, 2])");
  EXPECT_THROW(prune::ln_structured(m, "weight", 1, "nuc", 0), ValueError);
  EXPECT_EQ(error_message<AssertionError>([&] { prune::custom_from_mask(m, "bias", ones({2})); }),
            "default_mask shape torch.Size([3]) must match self.mask shape torch.Size([2])");
  EXPECT_EQ(m.state_dict().repr(), before);
  m.register_buffer("bias_mask", ones({3}));
  EXPECT_THROW(prune::identity(m, "bias"), KeyError);
  EXPECT_THROW(prune::identity(m, "bias_mask"), TypeError);
  EXPECT_FALSE(prune::is_pruned(m));
}

}  // namespace
