// optim::swa_utils: averaged models.
#include "taper/optim/swa_utils.h"

#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"

namespace taper {
namespace {

using test::error_message;

nn::Sequential filled_net(double value) {
  nn::Sequential net{nn::Linear(2, 2), nn::BatchNorm1d(2)};
  const NoGrad guard;
  for (const Tensor& p : net.parameters()) p.fill_(value);
  for (const Tensor& b : net.buffers()) b.fill_(value);
  return net;
}
void refill(nn::Module& net, double value) {
  const NoGrad guard;
  for (const Tensor& p : net.parameters()) p.fill_(value);
  for (const Tensor& b : net.buffers()) b.fill_(value);
}
double weight_of(optim::AveragedModel& m) { return m.parameters()[0][0][1].item<double>(); }
double mean_of(optim::AveragedModel& m) {
  return m.get_buffer("module.1.running_mean")[1].item<double>();
}

TEST(AveragedModel, AveragesModelStates) {
  auto net = filled_net(1);
  optim::AveragedModel mean(net);
  refill(net, 3);
  EXPECT_EQ(weight_of(mean), 1) << "a copy";
  mean.update_parameters(net);
  EXPECT_EQ(weight_of(mean), 3) << "the first is copied";
  refill(net, 6);
  mean.update_parameters(net);
  EXPECT_EQ(weight_of(mean), 4.5);
  EXPECT_EQ(mean_of(mean), 6) << "buffers are those of the model";
  refill(net, 0);
  mean.update_parameters(net);
  EXPECT_EQ(weight_of(mean), 3);
  EXPECT_EQ(mean.n_averaged.item<int>(), 3);
  EXPECT_TRUE(mean.parameters()[0].requires_grad());
  std::string keys;
  const Value state = mean.state_dict();
  for (const auto& [key, value] : state.as_dict()) keys += key.as_string() + " ";
  EXPECT_EQ(keys,
            "n_averaged module.0.weight module.0.bias module.1.weight module.1.bias "
            "module.1.running_mean module.1.running_var module.1.num_batches_tracked ");
  mean.eval();
  net.eval();
  EXPECT_EQ(mean(ones({1, 2})).shape(), Shape({1, 2}));
  EXPECT_EQ(mean.call({ones({1, 2})}).as_tensor().shape(), Shape({1, 2}));
}

TEST(AveragedModel, AcceptsAvgFnAndMultiAvgFn) {
  auto net = filled_net(1);
  optim::AveragedModel ema(net, {.multi_avg_fn = optim::get_ema_multi_avg_fn(0.75)});
  optim::AveragedModel each(net, {.avg_fn = optim::get_ema_avg_fn(0.75), .use_buffers = true});
  optim::AveragedModel mean(net, {.avg_fn = optim::get_swa_avg_fn()});
  for (auto* m : {&ema, &each, &mean}) m->update_parameters(net);
  refill(net, 5);
  for (auto* m : {&ema, &each, &mean}) m->update_parameters(net);
  EXPECT_EQ(weight_of(ema), 2);
  EXPECT_EQ(weight_of(each), 2);
  EXPECT_EQ(weight_of(mean), 3);
  EXPECT_EQ(mean_of(ema), 5);
  EXPECT_EQ(mean_of(each), 2);
  EXPECT_EQ(each.get_buffer("module.1.num_batches_tracked").item<int>(), 2);
  optim::AveragedModel copy = ema.clone();
  refill(net, 10);
  copy.update_parameters(net);
  EXPECT_EQ(weight_of(copy), 4);
  EXPECT_EQ(weight_of(ema), 2) << "the clone averages for itself";
}

TEST(AveragedModel, RoundsAsPyTorch) {
  nn::Linear net(1, 1, {.bias = false});
  net.to(float64);
  optim::AveragedModel mean(net);
  optim::AveragedModel multi(net, {.multi_avg_fn = optim::get_swa_multi_avg_fn()});
  for (const double v : {0.0, 0.0, 1.0}) {
    refill(net, v);
    mean.update_parameters(net), multi.update_parameters(net);
  }
  EXPECT_EQ(mean.parameters()[0].item<double>(), 1.0 / 3);
  EXPECT_EQ(multi.parameters()[0].item<double>(), 1.0f / 3) << "the weight is a float32 tensor";
}

TEST(AveragedModel, RejectsAsPyTorch) {
  auto net = filled_net(1);
  EXPECT_EQ(error_message<AssertionError>([&] {
              optim::AveragedModel(net, {.avg_fn = optim::get_swa_avg_fn(),
                                         .multi_avg_fn = optim::get_swa_multi_avg_fn()});
            }),
            "Only one of avg_fn and multi_avg_fn should be provided");
  EXPECT_EQ(error_message<ValueError>([] { optim::get_ema_avg_fn(1.5); }),
            "Invalid decay value 1.5 provided. Please provide a value in [0,1] range.");
  EXPECT_EQ(error_message<ValueError>([] { optim::get_ema_multi_avg_fn(-1); }),
            "Invalid decay value -1.0 provided. Please provide a value in [0,1] range.");
  optim::AveragedModel mean(net);
  nn::Linear other(2, 2), wide(3, 2);
  EXPECT_THROW(mean.update_parameters(other), ValueError);
  optim::AveragedModel of_linear(other);
  EXPECT_THROW(of_linear.update_parameters(wide), ValueError);
  EXPECT_EQ(mean.n_averaged.item<int>(), 0);
}

TEST(UpdateBn, ComputesStatisticsOfAllBatches) {
  nn::Sequential net{nn::BatchNorm1d(2)};
  auto& norm = *net[0].as<nn::BatchNorm1d>();
  net.eval();
  norm.running_mean->fill_(9);
  const std::vector<std::tuple<Tensor, int>> loader{{zeros({2, 2}), 0}, {full({2, 2}, 4.0), 1}};
  optim::update_bn(loader, net);
  EXPECT_TRUE(equal(*norm.running_mean, full({2}, 2.0)));
  EXPECT_EQ(norm.num_batches_tracked->item<int>(), 2);
  EXPECT_EQ(norm.momentum, 0.1);
  EXPECT_FALSE(net.training);
  EXPECT_THROW(optim::update_bn(std::vector<Tensor>{zeros({2, 3})}, net), Error);
  EXPECT_EQ(norm.momentum, 0.1) << "after an error too";
  EXPECT_FALSE(net.training);
  nn::Linear plain(2, 2);
  optim::update_bn(std::vector<Tensor>{zeros({7})},
                   plain);  // not called, because it has no batch normalization
}

}  // namespace
}  // namespace taper
