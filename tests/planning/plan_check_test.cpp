// Measurement of networks, and of predictions, on threads.
#include "plan_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/dist/dist.h"
#include "taper/taper.h"

namespace planning {
namespace {

namespace distributed = taper::distributed;
using taper::test::contains, taper::test::error_text;
using Kind = MeasuredCollective::Kind;

std::vector<MeasuredCollective> modeled_collectives(const Cluster& cluster) {
  std::vector<MeasuredCollective> list;
  for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::broadcast})
    for (const double bytes : {4e3, 1e5, 1e7})
      list.push_back({kind, bytes, cost_of(kind, cluster, bytes).seconds});
  return list;
}

TEST(FitLink, RecoversLatencyAndBandwidth) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::gloo})
    for (const int ranks : {2, 4, 7}) {
      const Link link{3e-5, 1.5e9};
      const Cluster cluster{
          .ranks = ranks, .network = link, .inside = link, .algorithm = algorithm};
      const Link fitted = fit_link(modeled_collectives(cluster), cluster);
      EXPECT_NEAR(fitted.latency, link.latency, 1e-9);
      EXPECT_NEAR(fitted.bandwidth, link.bandwidth, 10);
    }
}

TEST(FitLink, ReturnsNonNegativeValues) {
  const Cluster pair{.ranks = 2, .algorithm = Algorithm::ring};
  // Times that grow faster than the sizes have no latency, constant ones no bandwidth.
  const Link no_latency =
      fit_link({{Kind::all_gather, 2e3, 1}, {Kind::all_gather, 2e6, 2e3}}, pair);
  EXPECT_EQ(no_latency.latency, 0);
  EXPECT_GT(no_latency.bandwidth, 0);
  const Link constant = fit_link({{Kind::all_gather, 2e3, 2}, {Kind::all_gather, 2e6, 1}}, pair);
  EXPECT_GT(constant.latency, 0);
  EXPECT_TRUE(std::isinf(constant.bandwidth));
}

TEST(FitLink, RejectsTooFewCollectives) {
  const Cluster pair{.ranks = 2, .algorithm = Algorithm::ring};
  EXPECT_TRUE(contains(error_text([&] { return fit_link({}, pair).latency; }),
                       "0 collectives do not determine latency and bandwidth"));
  EXPECT_TRUE(contains(error_text([&] {
                         return fit_link({{Kind::all_reduce, 1e3, 1}}, pair).latency;
                       }),
                       "1 collectives do not determine"));
}

TEST(CheckPredictions, MeasuresAllKindsOfTraining) {
  distributed::spawn_threads(2, [](int) {
    distributed::init_process_group();
    const CheckResult result = check_predictions(
        {.make_module =
             [] {
               taper::manual_seed(1);
               return std::make_shared<taper::nn::Sequential>(
                   taper::nn::Sequential{taper::nn::Linear(16, 24), taper::nn::BatchNorm1d(24),
                                         taper::nn::ReLU(), taper::nn::Linear(24, 3)});
             },
         .inputs = {taper::ones({8, 16})},
         .make_optimizer =
             [](taper::optim::Params params) {
               return std::make_unique<taper::optim::AdamW>(std::move(params));
             },
         .rounds = 1,
         .steps = 1});
    ASSERT_EQ(result.trainings.size(), kTrainings.size());
    for (const CheckedTraining& t : result.trainings) {
      EXPECT_GT(t.measured, 0) << name_of(t.training);
      EXPECT_GT(t.prediction.seconds, 0) << name_of(t.training);
      EXPECT_GT(t.prediction.bytes_sent, 0) << name_of(t.training);
    }
    EXPECT_EQ(result.step.units.size(), 4u);
    EXPECT_EQ(result.network.collectives.size(), 15u);
    EXPECT_GE(result.network.link.latency, 0);
    EXPECT_GT(result.network.link.bandwidth, 0);
    for (const double rate :
         {result.network.rates.computation, result.network.rates.communication}) {
      EXPECT_GT(rate, 0);
      EXPECT_LE(rate, 1);
    }
    distributed::destroy_process_group();
  });
}

}  // namespace
}  // namespace planning
