// Histograms with the bins of each rule of numpy.histogram_bin_edges, as SummaryWriter records
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "taper_paths.h"
#include "train/events/histogram.h"

namespace {

using namespace taper::train;
using HistogramJson = nlohmann::json;
using Doubles = std::vector<double>;

/// Expects equal numbers, up to the rounding of sums in another order.
void expect_near(double actual, double expected) {
  EXPECT_NEAR(actual, expected, 1e-13 * (1 + std::abs(expected)));
}

TEST(Histogram, HasBinsOfEachRuleOfNumpy) {
  std::ifstream file(TAPER_TEST_DATA "/histograms.json");
  const HistogramJson cases = HistogramJson::parse(file);
  ASSERT_EQ(cases.size(), 10u);
  for (const HistogramJson& c : cases) {
    const auto values = c.at("values").get<Doubles>();
    ASSERT_EQ(c.at("records").size(), 8u);
    for (const auto& [rule, expected] : c.at("records").items()) {
      SCOPED_TRACE(c.at("name").get<std::string>() + ", " + rule);
      const HistogramSummary actual = events::make_histogram(values, rule, {});
      EXPECT_EQ(actual.min, expected.at("min").get<double>());
      EXPECT_EQ(actual.max, expected.at("max").get<double>());
      EXPECT_EQ(actual.num, expected.at("num").get<double>());
      expect_near(actual.sum, expected.at("sum").get<double>());
      expect_near(actual.sum_squares, expected.at("sum_squares").get<double>());
      EXPECT_EQ(actual.bucket, expected.at("bucket").get<Doubles>());
      const auto limits = expected.at("bucket_limit").get<Doubles>();
      ASSERT_EQ(actual.bucket_limit.size(), limits.size());
      for (std::size_t i = 0; i < limits.size(); ++i)
        expect_near(actual.bucket_limit[i], limits[i]);
    }
  }
}

}  // namespace
