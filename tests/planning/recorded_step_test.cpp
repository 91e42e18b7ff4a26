// Recording of training steps, and the units of networks.
#include "recorded_step.h"

#include <gtest/gtest.h>

#include <numeric>

#include "shard_units.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/taper.h"

namespace planning {
namespace {

namespace nn = taper::nn;
using taper::Tensor;
using taper::test::contains, taper::test::error_text;

struct PlannedBlock : nn::Module {
  nn::Linear fc1{6, 8}, fc2{8, 6};
  TAPER_MODULE(PlannedBlock, fc1, fc2)
  Tensor forward(Tensor x) { return x + fc2(taper::relu(fc1(x))); }
};

struct PlannedNet : nn::Module {
  nn::Linear stem{4, 6};
  nn::ModuleList blocks{PlannedBlock(), PlannedBlock()};
  nn::BatchNorm1d norm{6};
  nn::Linear head{6, 2};
  TAPER_MODULE(PlannedNet, stem, blocks, norm, head)
  Tensor forward(Tensor x) {
    x = stem(x);
    for (const auto& block : blocks.children()) x = (*block)(x);
    return head(norm(x));
  }
};

struct PartlyUsedNet : nn::Module {
  nn::ModuleList layers{nn::Linear(2, 2), nn::Linear(2, 2)};
  TAPER_MODULE(PartlyUsedNet, layers)
  Tensor forward(Tensor x) { return (*layers.children()[1])(x); }
};

struct DetachedNet : nn::Module {
  nn::Linear fc{2, 2};
  TAPER_MODULE(DetachedNet, fc)
  Tensor forward(Tensor x) { return fc(x).detach(); }
};

OptimizerFactory factory_of(const char* name) {
  return [name](taper::optim::Params params) {
    return taper::optim::make(name, std::move(params), taper::Value::dict({{"lr", 0.0}}));
  };
}

std::vector<std::string> unit_paths(nn::Module& net,
                                    const std::vector<std::string>& patterns = {}) {
  std::vector<std::string> paths;
  for (const UnitModule& unit : find_units(net, patterns)) paths.push_back(unit.path);
  return paths;
}

TEST(FindUnits, AreModulesOfContainers) {
  PlannedNet net;
  EXPECT_EQ(unit_paths(net), (std::vector<std::string>{"", "blocks.0", "blocks.1"}));
  const std::vector<UnitModule> units = find_units(net);
  EXPECT_EQ(units[0].parameters.size(), 6u);
  EXPECT_EQ(units[1].parameters.size(), 4u);
  EXPECT_EQ(units[1].module, &net.get_submodule("blocks.0"));
  nn::Sequential nested{nn::Sequential{nn::Linear(2, 2), nn::ReLU()}, nn::Linear(2, 2)};
  EXPECT_EQ(unit_paths(nested), (std::vector<std::string>{"", "0.0", "1"}));
  nn::Linear layer(2, 2);
  EXPECT_EQ(unit_paths(layer), (std::vector<std::string>{""}));
}

TEST(FindUnits, SelectsTheOutermostModulesOfPatterns) {
  PlannedNet net;
  EXPECT_EQ(unit_paths(net, {"blocks.*", "head"}),
            (std::vector<std::string>{"", "blocks.0", "blocks.1", "head"}));
  EXPECT_EQ(unit_paths(net, {"*.fc1"}),
            (std::vector<std::string>{"", "blocks.0.fc1", "blocks.1.fc1"}));
  EXPECT_TRUE(contains(error_text([&] {
                         unit_paths(net, {"head", "layers.*"});
                       }),
                       "PlannedNet: no module with parameters matches 'layers.*'"));
}

TEST(FindUnits, CountsSharedParametersOnce) {
  PlannedNet net;
  auto& first = net.get_submodule("blocks.0").as<PlannedBlock>()->fc1;
  net.get_submodule("blocks.1").as<PlannedBlock>()->fc1.weight = first.weight;
  const std::vector<UnitModule> units = find_units(net);
  EXPECT_EQ(units[2].parameters.size(), 3u);
}

TEST(RecordStep, RecordsTimesInOrder) {
  taper::manual_seed(3);
  PlannedNet net;
  const RecordedStep step =
      record_step(net, {taper::randn({5, 4})}, factory_of("Adam"), {.repetitions = 3});
  EXPECT_GT(step.forward, 0);
  EXPECT_GT(step.backward, 0);
  EXPECT_GT(step.update, 0);
  EXPECT_GT(step.copy, 0);
  const std::int64_t elements = 30 + 2 * (56 + 54) + 12 + 14;
  EXPECT_EQ(step.parameter_bytes(), 4 * elements);
  EXPECT_EQ(step.gradient_bytes(), 4 * elements);
  ASSERT_EQ(step.gradients.size(), 14u);
  EXPECT_EQ(step.gradients[0].name, "stem.weight");
  // The gradients of the head are ready before those of the blocks and of the stem.
  EXPECT_LT(step.gradients[12].ready, step.gradients[6].ready);
  EXPECT_LT(step.gradients[6].ready, step.gradients[2].ready);
  EXPECT_LT(step.gradients[2].ready, step.gradients[0].ready);
  ASSERT_EQ(step.units.size(), 3u);
  EXPECT_EQ(step.forward_order(), (std::vector<std::size_t>{0, 1, 2}));
  const RecordedStep::Unit &whole = step.units[0], &one = step.units[1], &two = step.units[2];
  EXPECT_LT(whole.forward_begin, one.forward_begin);
  EXPECT_LT(one.forward_begin, one.forward_end);
  EXPECT_LT(one.forward_end, two.forward_end);
  EXPECT_LE(two.forward_end, whole.forward_end);
  EXPECT_LT(whole.backward_begin, two.backward_begin);
  EXPECT_LT(two.backward_begin, two.backward_end);
  EXPECT_LT(two.backward_end, one.backward_end);
  EXPECT_LT(one.backward_end, whole.backward_end);
  EXPECT_LE(whole.backward_end, step.backward);
}

TEST(RecordStep, MeasuresBuffersAndOptimizerState) {
  PlannedNet net;
  const taper::Values inputs = {taper::randn({5, 4})};
  const RecordedStep adam = record_step(net, inputs, factory_of("Adam"), {.repetitions = 1});
  // Means, variances and the number of batches.
  EXPECT_EQ(adam.buffer_bytes.size(), 2u);
  EXPECT_EQ(std::accumulate(adam.buffer_bytes.begin(), adam.buffer_bytes.end(), std::int64_t{0}),
            4 * 12 + 8);
  // Two tensors like the parameter, and the number of steps in float32.
  EXPECT_DOUBLE_EQ(adam.state_per_byte, 2 + 4.0 * 14 / static_cast<double>(adam.parameter_bytes()));
  EXPECT_EQ(record_step(net, inputs, factory_of("SGD"), {.repetitions = 1}).state_per_byte, 0);
}

TEST(RecordStep, RemovesItsTraces) {
  PlannedNet net;
  const Tensor before = net.stem.weight.detach().clone();
  record_step(net, {taper::randn({5, 4})}, factory_of("Adam"), {.repetitions = 1});
  for (const Tensor& p : net.parameters()) EXPECT_FALSE(p.grad().defined());
  EXPECT_TRUE(taper::equal(net.stem.weight, before));
  // Hooks that refer to the recorder would be called.
  net(taper::randn({5, 4})).sum().backward();
}

TEST(RecordStep, IgnoresUnusedModules) {
  PartlyUsedNet net;
  const RecordedStep step = record_step(net, {taper::ones({1, 2})}, factory_of("SGD"));
  EXPECT_EQ(step.forward_order(), (std::vector<std::size_t>{0, 2}));
  EXPECT_LT(step.units[1].backward_begin, 0);
  EXPECT_LT(step.gradients[0].ready, 0);
  EXPECT_GE(step.gradients[2].ready, 0);
}

TEST(RecordStep, ReportsNetworksWithoutGradients) {
  PlannedNet frozen;
  frozen.requires_grad_(false);
  EXPECT_TRUE(contains(error_text([&] {
                         record_step(frozen, {taper::ones({2, 4})}, factory_of("SGD"));
                       }),
                       "PlannedNet: no parameter requires gradients"));
  DetachedNet detached;
  EXPECT_TRUE(contains(error_text([&] {
                         record_step(detached, {taper::ones({1, 2})}, factory_of("SGD"));
                       }),
                       "no result depends on a parameter"));
}

TEST(MedianOf, IsTheMedianOfEachTime) {
  RecordedStep a{.forward = 1, .backward = 9, .units = {{"", {}, 0, 5}}}, b = a, c = a;
  b.forward = 3, c.forward = 2;
  b.backward = 7, c.backward = 8;
  b.units[0].forward_end = 6, c.units[0].forward_end = 7;
  const RecordedStep median = median_of({a, b, c});
  EXPECT_EQ(median.forward, 2);
  EXPECT_EQ(median.backward, 8);
  EXPECT_EQ(median.units[0].forward_end, 6);
  EXPECT_EQ(median.units[0].backward_begin, -1);
}

}  // namespace
}  // namespace planning
