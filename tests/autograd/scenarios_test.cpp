// The scenarios of tools/oracle/training/autograd return the results of PyTorch.
#include <gtest/gtest.h>

#include <fstream>

#include "taper_paths.h"
#include "training/autograd/record.h"

namespace taper::oracle::scenario {
namespace {

using Json = nlohmann::json;

const Json& all_scenarios() {
  static const Json file = Json::parse(std::ifstream(TAPER_TEST_DATA "/autograd.json"));
  return file.at("cases");
}

class Scenarios : public testing::TestWithParam<std::size_t> {};

TEST_P(Scenarios, MatchPyTorch) {
  const Json& s = all_scenarios()[GetParam()];
  SCOPED_TRACE(s.at("title").get<std::string>());
  const auto failures = run_scenario(s.at("id"), s.at("results"));
  ASSERT_TRUE(failures.has_value()) << "is not ported";
  for (const std::string& text : *failures) ADD_FAILURE() << text;
}
INSTANTIATE_TEST_SUITE_P(Autograd, Scenarios,
                         testing::Range(std::size_t{0}, all_scenarios().size()),
                         [](const auto& info) {
                           return all_scenarios()[info.param].at("id").template get<std::string>();
                         });

// Each result of each scenario is compared: a damaged one is reported.
TEST(ScenarioRecord, FailsForDamagedResults) {
  for (const Json& s : all_scenarios()) {
    const Json& results = s.at("results");
    for (std::size_t i = 0; i < results.size(); ++i) {
      Json damaged = results;
      Json& result = damaged[i];
      if (result.contains("error"))
        result["type"] = result["type"].is_null() ? Json("Error") : Json();
      else if (result.contains("tensor"))
        result["shape"].push_back(7);
      else
        result["value"] = "other";
      bool fails = false;
      try {
        fails = !run_scenario(s.at("id"), damaged)->empty();
      } catch (const std::exception&) { fails = true; }
      EXPECT_TRUE(fails) << s.at("id") << ": " << results[i];
    }
  }
}

TEST(ScenarioRecord, FailsForMissingAndSurplusResults) {
  const Json& results = all_scenarios()[0].at("results");
  Json more = results;
  more.push_back(results[0]);
  EXPECT_EQ(run_scenario("01", more)->size(), 1u);
  EXPECT_THROW(run_scenario("01", Json::array()), std::runtime_error);
  EXPECT_FALSE(run_scenario("50", results).has_value());
}

}  // namespace
}  // namespace taper::oracle::scenario
