// The code of docs/modules.md about layers and utilities.
#include "nets.h"
#include "taper/nn/nn.h"
#include "taper/optim/optim.h"

namespace {

using namespace taper;

TEST(ModuleDoc, UsesRecurrentLayersAndSequences) {
  namespace rnn = nn::utils::rnn;
  nn::LSTM lstm(3, 4, {.num_layers = 2, .batch_first = true, .bidirectional = true});
  const Tensor padded = rnn::pad_sequence({ones({5, 3}), ones({2, 3})}, {.batch_first = true});
  const auto packed = rnn::pack_padded_sequence(padded, {5, 2}, {.batch_first = true});
  auto [output, state] = lstm(packed);
  std::tie(output, state) = lstm(packed, state);
  const auto [y, lengths] = rnn::pad_packed_sequence(output, {.batch_first = true});
  const auto& w = lstm.attr<nn::Parameter>("weight_hh_l1_reverse");
  EXPECT_EQ(y.shape(), Shape({2, 5, 8}));
  EXPECT_EQ(w.shape(), Shape({16, 4}));
}

struct EverySecond : nn::utils::prune::BasePruningMethod {
  Tensor compute_mask(const Tensor&, const Tensor& default_mask) const override {
    Tensor mask = default_mask.clone();
    mask.view({-1}).slice(0, {}, {}, 2).fill_(0);
    return mask;
  }
};

TEST(ModuleDoc, PrunesModules) {
  nn::Sequential net{nn::Linear(8, 16), nn::ReLU(), nn::Linear(16, 4)};
  namespace prune = nn::utils::prune;
  auto &first = *net[0].as<nn::Linear>(), &last = *net[2].as<nn::Linear>();
  prune::l1_unstructured(first, "weight", 0.3);    // a fraction, or a count
  prune::ln_structured(first, "weight", 2, 2, 0);  // also the two rows of smallest norm
  prune::apply<EverySecond>(last, "bias");         // a user-defined method
  prune::global_unstructured<prune::L1Unstructured>({{first, "weight"}, {last, "weight"}}, 0.5);
  prune::remove(first, "weight");  // makes the pruning permanent
  EXPECT_EQ(nets::keys(first.state_dict()), "bias weight");
  EXPECT_EQ(nets::keys(last.state_dict()), "bias_orig weight_orig bias_mask weight_mask");
}

TEST(ModuleDoc, AveragesWeights) {
  nn::Sequential net{nn::Linear(4, 4), nn::BatchNorm1d(4)};
  const std::vector<Tensor> batches{randn({3, 4}), randn({3, 4})};
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  optim::AveragedModel ema(net, {.multi_avg_fn = optim::get_ema_multi_avg_fn(0.999)});
  for (const Tensor& x : batches) {
    optimizer.zero_grad();
    net(x).square().mean().backward();
    optimizer.step();
    ema.update_parameters(net);
  }
  optim::update_bn(batches, ema);  // statistics of the averaged weights
  const Tensor y = ema.eval()(batches[0]);
  EXPECT_EQ(y.shape(), Shape({3, 4}));
  EXPECT_EQ(ema.n_averaged.item<int>(), 2);
}

TEST(ModuleDoc, SkipsInitialization) {
  auto big = nn::utils::skip_init<nn::Linear>(512, 512, nn::LinearOptions{.bias = false});
  EXPECT_EQ(big.weight.shape(), Shape({512, 512}));
}

}  // namespace
