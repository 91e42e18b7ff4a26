// Rates, momenta and state dicts of all schedulers against PyTorch's, bit for bit
// (scripts/golden/schedulers.py).
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "optim/schedule_support.h"
#include "support/warning_capture.h"
#include "taper/optim/adam.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/swa_lr.h"
#include "taper_paths.h"

namespace taper {
namespace {

using namespace optim::lr_scheduler;
using ScheduleJson = nlohmann::json;
using Made = std::shared_ptr<LRScheduler>;
using MakeScheduler = std::function<Made(optim::Optimizer&)>;

template <class S, class... A> std::shared_ptr<S> make_shared_scheduler(A&&... args) {
  return std::make_shared<S>(std::forward<A>(args)...);
}

const std::map<std::string, MakeScheduler>& makers() {
  using O = optim::Optimizer&;
  static const std::map<std::string, MakeScheduler> table = {
      {"LambdaLR",
       [](O o) {
         return std::make_shared<LambdaLR>(
             o, LRLambdas{[](std::int64_t t) { return 1 / (static_cast<double>(t) + 1); },
                          [](std::int64_t t) { return 0.5 + 0.01 * static_cast<double>(t); }});
       }},
      {"MultiplicativeLR",
       [](O o) {
         return std::make_shared<MultiplicativeLR>(
             o, [](std::int64_t t) { return 1 - 0.01 * static_cast<double>(t % 7); });
       }},
      {"StepLR", [](O o) { return std::make_shared<StepLR>(o, 5, StepLROptions{.gamma = 0.3}); }},
      {"MultiStepLR",
       [](O o) {
         return std::make_shared<MultiStepLR>(o, std::vector<std::int64_t>{3, 3, 10, 17},
                                              StepLROptions{.gamma = 0.7});
       }},
      {"ExponentialLR", [](O o) { return std::make_shared<ExponentialLR>(o, 0.93); }},
      {"PolynomialLR",
       [](O o) {
         return std::make_shared<PolynomialLR>(
             o, PolynomialLROptions{.total_iters = 17, .power = 1.7});
       }},
      {"ConstantLR",
       [](O o) {
         return std::make_shared<ConstantLR>(o, ConstantLROptions{.factor = 0.3, .total_iters = 9});
       }},
      {"LinearLR",
       [](O o) {
         return std::make_shared<LinearLR>(
             o, LinearLROptions{.start_factor = 0.1, .end_factor = 0.8, .total_iters = 13});
       }},
      {"CosineAnnealingLR",
       [](O o) {
         return std::make_shared<CosineAnnealingLR>(o, 7,
                                                    CosineAnnealingLROptions{.eta_min = 0.01});
       }},
      {"CosineAnnealingWarmRestarts",
       [](O o) {
         return std::make_shared<CosineAnnealingWarmRestarts>(
             o, 3, CosineAnnealingWarmRestartsOptions{.T_mult = 2, .eta_min = 0.01});
       }},
      {"CyclicLR",
       [](O o) {
         return std::make_shared<CyclicLR>(o, PerGroup{0.01, 0.02}, 0.3,
                                           CyclicLROptions{.step_size_up = 4, .step_size_down = 3});
       }},
      {"CyclicLR triangular2",
       [](O o) {
         return std::make_shared<CyclicLR>(
             o, 0.01, 0.3,
             CyclicLROptions{.step_size_up = 3, .mode = "triangular2", .base_momentum = 0.7});
       }},
      {"CyclicLR exp_range",
       [](O o) {
         return std::make_shared<CyclicLR>(
             o, 0.01, 0.3,
             CyclicLROptions{
                 .step_size_up = 5, .mode = "exp_range", .gamma = 0.97, .cycle_momentum = false});
       }},
      {"CyclicLR scale_fn",
       [](O o) {
         return std::make_shared<CyclicLR>(
             o, 0.01, 0.3,
             CyclicLROptions{.step_size_up = 3,
                             .scale_fn = [](double x) { return 1 / (1 + x); },
                             .scale_mode = "iterations"});
       }},
      {"OneCycleLR",
       [](O o) {
         return std::make_shared<OneCycleLR>(o, PerGroup{0.5, 0.9},
                                             OneCycleLROptions{.total_steps = 29});
       }},
      {"OneCycleLR linear",
       [](O o) {
         return std::make_shared<OneCycleLR>(o, 0.5,
                                             OneCycleLROptions{.epochs = 5,
                                                               .steps_per_epoch = 6,
                                                               .pct_start = 0.4,
                                                               .anneal_strategy = "linear",
                                                               .div_factor = 10,
                                                               .three_phase = true});
       }},
      {"SequentialLR",
       [](O o) {
         std::vector<SchedulerRef> parts{
             make_shared_scheduler<LinearLR>(
                 o, LinearLROptions{.start_factor = 0.1, .total_iters = 4}),
             make_shared_scheduler<ExponentialLR>(o, 0.9),
             make_shared_scheduler<CosineAnnealingLR>(o, 6)};
         return std::make_shared<SequentialLR>(o, parts, std::vector<std::int64_t>{4, 11});
       }},
      {"ChainedScheduler",
       [](O o) {
         std::vector<SchedulerRef> parts{make_shared_scheduler<ConstantLR>(
                                             o, ConstantLROptions{.factor = 0.1, .total_iters = 4}),
                                         make_shared_scheduler<CosineAnnealingLR>(o, 9)};
         return std::make_shared<ChainedScheduler>(parts);
       }},
      {"nested",
       [](O o) {
         std::vector<SchedulerRef> chained{
             make_shared_scheduler<LinearLR>(
                 o, LinearLROptions{.start_factor = 0.25, .total_iters = 6}),
             make_shared_scheduler<StepLR>(o, 3, StepLROptions{.gamma = 0.5})};
         std::vector<SchedulerRef> parts{make_shared_scheduler<ChainedScheduler>(chained),
                                         make_shared_scheduler<CosineAnnealingWarmRestarts>(o, 4)};
         return std::make_shared<SequentialLR>(o, parts, std::vector<std::int64_t>{8});
       }},
      {"SWALR",
       [](O o) {
         return std::make_shared<optim::SWALR>(o, PerGroup{0.05, 0.01},
                                               optim::SWALROptions{.anneal_epochs = 9});
       }},
      {"SWALR linear",
       [](O o) {
         return std::make_shared<optim::SWALR>(
             o, 0.05, optim::SWALROptions{.anneal_epochs = 4, .anneal_strategy = "linear"});
       }},
      {"SWALR at once",
       [](O o) {
         return std::make_shared<optim::SWALR>(o, 0.05, optim::SWALROptions{.anneal_epochs = 0});
       }},
      {"CyclicLR betas",
       [](O o) {
         return std::make_shared<CyclicLR>(
             o, 0.01, 0.3, CyclicLROptions{.step_size_up = 4, .base_momentum = {0.7, 0.75}});
       }},
      {"OneCycleLR betas", [](O o) {
         return std::make_shared<OneCycleLR>(
             o, 0.5,
             OneCycleLROptions{.total_steps = 25, .base_momentum = 0.7, .max_momentum = 0.97});
       }}};
  return table;
}

std::unique_ptr<optim::Optimizer> optimizer_for(const std::string& name,
                                                const std::vector<double>& rates) {
  if (name.ends_with(" betas"))
    return std::make_unique<test::StubOptimizer>(
        rates,
        std::initializer_list<std::pair<Value, Value>>{{"betas", Value::tuple({0.9, 0.999})}});
  return std::make_unique<optim::SGD>(test::groups_with(rates), optim::SGDOptions{.momentum = 0.9});
}

std::vector<double> momenta_of(const optim::Optimizer& optimizer) {
  if (!optimizer.defaults().contains("betas")) return test::options_named(optimizer, "momentum");
  std::vector<double> betas;
  for (const optim::ParamGroup& group : optimizer.param_groups()) {
    EXPECT_EQ(group["betas"][1].as_double(), 0.999);
    betas.push_back(group["betas"][0].as_double());
  }
  return betas;
}

using Rows = std::vector<std::vector<double>>;

TEST(Schedulers, MatchPyTorchBitwise) {
  test::WarningCapture warnings;
  std::ifstream file(TAPER_TEST_DATA "/schedulers.json");
  const ScheduleJson data = ScheduleJson::parse(file);
  const auto rates = data.at("rates").get<std::vector<double>>();
  ASSERT_EQ(data.at("cases").size(), makers().size());
  for (const ScheduleJson& row : data.at("cases")) {
    const std::string name = row.at("name");
    SCOPED_TRACE(name);
    warnings.clear();
    const auto optimizer = optimizer_for(name, rates);
    const Made scheduler = makers().at(name)(*optimizer);
    Rows lr{test::rates_of(*optimizer)}, momentum{momenta_of(*optimizer)};
    while (lr.size() < row.at("lr").size()) {
      optimizer->step(), scheduler->step();
      lr.push_back(test::rates_of(*optimizer)), momentum.push_back(momenta_of(*optimizer));
      EXPECT_EQ(scheduler->get_last_lr(), lr.back());
    }
    EXPECT_EQ(lr, row.at("lr").get<Rows>());
    EXPECT_EQ(momentum, row.at("momentum").get<Rows>());
    EXPECT_EQ(scheduler->state_dict().repr(), row.at("state_dict").get<std::string>());
    EXPECT_EQ(warnings.count(), row.at("warnings").get<std::size_t>());
  }
}

TEST(Schedulers, WarnOfWrongOrderAsPyTorch) {
  test::WarningCapture warnings;
  std::ifstream file(TAPER_TEST_DATA "/schedulers.json");
  const ScheduleJson data = ScheduleJson::parse(file);
  for (const ScheduleJson& row : data.at("cases")) {
    const std::string name = row.at("name");
    SCOPED_TRACE(name);
    warnings.clear();
    const auto optimizer = optimizer_for(name, data.at("rates").get<std::vector<double>>());
    const Made scheduler = makers().at(name)(*optimizer);
    for (int t = 0; t < 3; ++t) scheduler->step(), optimizer->step();
    EXPECT_EQ(warnings.count(), row.at("warnings_of_order").get<std::size_t>());
  }
}

// The parameters show that a real Adam uses the cycled betas, also in its bias corrections.
TEST(Schedulers, CycleBetasOfAdam) {
  std::ifstream file(TAPER_TEST_DATA "/schedulers.json");
  const ScheduleJson data = ScheduleJson::parse(file);
  std::size_t checked = 0;
  for (const ScheduleJson& row : data.at("cases")) {
    if (!row.contains("params")) continue;
    const std::string name = row.at("name");
    SCOPED_TRACE(name);
    std::vector<optim::ParamGroup> groups;
    for (const double lr : data.at("rates").get<std::vector<double>>())
      groups.emplace_back(std::vector<Tensor>{ones({1}, {.dtype = float64, .requires_grad = true})},
                          optim::ParamGroup::Options{{"lr", lr}});
    optim::Adam adam(groups);
    const Made scheduler = makers().at(name)(adam);
    const auto expected = row.at("params").get<Rows>();
    for (std::size_t t = 1; t < expected.size(); ++t) {
      for (const optim::ParamGroup& group : adam.param_groups()) {
        const Tensor& p = group.params()[0];
        p.set_grad(p.detach().add(1.7 * static_cast<double>(t)).sin());
      }
      adam.step(), scheduler->step();
      for (std::size_t g = 0; g < 2; ++g)  // rounding of the order of operations
        EXPECT_NEAR(adam.param_groups()[g].params()[0].item<double>(), expected[t][g], 1e-13) << t;
    }
    EXPECT_EQ(momenta_of(adam), row.at("momentum").get<Rows>().back());
    ++checked;
  }
  EXPECT_EQ(checked, 2u);
}

TEST(Schedulers, ClosedFormsMatchPyTorchBitwise) {
  const test::WarningCapture warnings;
  std::ifstream file(TAPER_TEST_DATA "/schedulers.json");
  const ScheduleJson data = ScheduleJson::parse(file);
  std::size_t checked = 0;
  for (const ScheduleJson& row : data.at("cases")) {
    const std::string name = row.at("name");
    if (!row.contains("closed")) continue;
    SCOPED_TRACE(name);
    const auto optimizer = optimizer_for(name, data.at("rates").get<std::vector<double>>());
    const Made scheduler = makers().at(name)(*optimizer);
    Rows closed;
    for (const ScheduleJson& epoch : data.at("epochs")) {
      scheduler->step(epoch.get<std::int64_t>());
      EXPECT_EQ(scheduler->last_epoch, epoch.get<std::int64_t>());
      closed.push_back(test::rates_of(*optimizer));
    }
    EXPECT_EQ(closed, row.at("closed").get<Rows>());
    ++checked;
  }
  EXPECT_EQ(checked, 7u);
}

TEST(Schedulers, ContinueFromStateDict) {
  const test::WarningCapture warnings;
  std::ifstream file(TAPER_TEST_DATA "/schedulers.json");
  const ScheduleJson data = ScheduleJson::parse(file);
  for (const ScheduleJson& row : data.at("cases")) {
    const std::string name = row.at("name");
    SCOPED_TRACE(name);
    const auto rates = data.at("rates").get<std::vector<double>>();
    const auto first = optimizer_for(name, rates), second = optimizer_for(name, rates);
    const Made scheduler = makers().at(name)(*first), resumed = makers().at(name)(*second);
    for (int t = 0; t < 9; ++t) first->step(), scheduler->step();
    second->load_state_dict(first->state_dict());
    resumed->load_state_dict(scheduler->state_dict());
    EXPECT_EQ(resumed->state_dict().repr(), scheduler->state_dict().repr());
    const auto expected = row.at("lr").get<Rows>();
    for (std::size_t t = 10; t < expected.size(); ++t) {
      second->step(), resumed->step();
      EXPECT_EQ(test::rates_of(*second), expected[t]) << "after " << t;
    }
  }
}

}  // namespace
}  // namespace taper
