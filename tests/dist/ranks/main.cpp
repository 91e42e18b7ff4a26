// Tests of an engine: every rank of a job runs all of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "dist/ranks/scenarios.h"
#include "taper/dist/dist.h"

namespace taper::distributed {
namespace {

class JobEnvironment final : public testing::Environment {
 public:
  explicit JobEnvironment(std::string backend) : backend_(std::move(backend)) {}
  void SetUp() override { init_process_group({.backend = backend_, .timeout = Timeout(120)}); }
  void TearDown() override {
    barrier();
    destroy_process_group();
  }

 private:
  std::string backend_;
};

}  // namespace
}  // namespace taper::distributed

/// Arguments: `--scenario=NAME` runs a scenario; otherwise `--backend=NAME` and GoogleTest's.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::string backend;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--scenario="))
      return taper::test::run_scenario(argument.substr(argument.find('=') + 1));
    if (argument.starts_with("--backend=")) backend = argument.substr(argument.find('=') + 1);
  }
  // GoogleTest's only way to add one, which it owns.
  testing::AddGlobalTestEnvironment(new taper::distributed::JobEnvironment(backend));
  return RUN_ALL_TESTS();
}
