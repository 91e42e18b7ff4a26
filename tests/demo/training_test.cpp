// Training: LeNet matches PyTorch's losses, stops, and resumes to the same bits.
#include "training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/build.h"
#include "support/error_text.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper/train/interrupt.h"
#include "taper_paths.h"

namespace demo {
namespace {

using taper::test::error_text, taper::test::TempDir;

using Json = nlohmann::json;

Json read_json(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

// False under sanitizers, where the tests train for fewer epochs: the memory accesses are the same.
constexpr bool kLearning = !taper::build::kInstrumented;

const Digits& digits() {
  static const Digits all = load_digits(TAPER_DATA "/digits");
  return all;
}

Settings gentle(std::int64_t seed, std::int64_t epochs) {
  return {
      .lr = 0.01, .momentum = 0.5, .weight_decay = 0, .epochs = epochs, .batch = 64, .seed = seed};
}

class BaselineLosses : public testing::TestWithParam<int> {};

TEST_P(BaselineLosses, MatchPyTorchInFirstBatchesAndEveryEpoch) {
  const int seed = GetParam();
  const Json first =
      read_json(TAPER_TEST_DATA "/lenet_losses.json").at("runs").at(static_cast<std::size_t>(seed));
  const Json runs = read_json(TAPER_DATA "/digits/digits_baseline.json").at("runs");
  const Json* expected = nullptr;
  for (const Json& run : runs)
    if (run["seed"] == seed && run["lr"] == 0.01 && run["momentum"] == 0.5) expected = &run;
  ASSERT_NE(expected, nullptr);
  ASSERT_EQ(first["seed"], seed);

  const std::int64_t epochs = kLearning ? 10 : 2;
  Training training(gentle(seed, epochs), digits());
  std::size_t batch = 0;
  training.run([&](double loss) {
    if (batch < 10) {
      EXPECT_NEAR(loss, first["losses"][batch].get<double>(), 1e-4) << "batch " << batch;
    }
    ++batch;
    return false;
  });
  EXPECT_EQ(batch, static_cast<std::size_t>(23 * epochs));
  ASSERT_EQ(training.history().size(), static_cast<std::size_t>(epochs));
  for (std::size_t e = 0; e < training.history().size(); ++e) {
    const EpochResult& r = training.history()[e];
    const auto correct = std::llround(r.test_score * static_cast<double>(digits().test_count()));
    EXPECT_LE(std::abs(correct - (*expected)["test_correct"][e].get<std::int64_t>()), 3)
        << "epoch " << e + 1;
    EXPECT_NEAR(r.train_loss, (*expected)["mean_train_loss"][e].get<double>(), 0.02);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, BaselineLosses, testing::Range(0, 5));

TEST(Training, ReachesBaselineAccuracyWithDefaults) {
  const int seeds = kLearning ? 5 : 1;
  double sum = 0;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    Training training(Settings{.seed = seed}, digits());
    training.run();
    sum += training.history().back().test_score;
  }
  EXPECT_GE(sum / seeds, 0.935);
}

class Resume : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return dir_ / name; }

  TempDir dir_;
};

void expect_same_bits(Training& a, Training& b) {
  const auto first = a.net().named_parameters(), second = b.net().named_parameters();
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_TRUE(taper::equal(first[i].value, second[i].value)) << first[i].name;
  ASSERT_EQ(a.history().size(), b.history().size());
  for (std::size_t e = 0; e < a.history().size(); ++e) {
    EXPECT_EQ(a.history()[e].train_loss, b.history()[e].train_loss);
    EXPECT_EQ(a.history()[e].train_score, b.history()[e].train_score);
    EXPECT_EQ(a.history()[e].test_loss, b.history()[e].test_loss);
  }
}

TEST_F(Resume, ReproducesUninterruptedRun) {
  const Settings settings{.epochs = 2, .seed = 3};
  Training whole(settings, digits());
  ASSERT_TRUE(whole.run());
  // The run is stopped in the middle of each epoch, before its last batch, and after it.
  for (const int stop : {1, 9, 22, 23, 24, 45, 46}) {
    SCOPED_TRACE(stop);
    {
      Training part(settings, digits());
      int batch = 0;
      EXPECT_FALSE(part.run([&](double) { return ++batch == stop; }));
      EXPECT_EQ(part.epoch() * part.batches_per_epoch() + part.batch(), stop);
      part.save(file("checkpoint.pt"));
    }
    taper::manual_seed(99);  // simulates draws by the process in between
    Training rest(file("checkpoint.pt"), digits());
    EXPECT_TRUE(rest.run());
    expect_same_bits(whole, rest);
  }
}

TEST_F(Resume, StopsOnSignalAfterBatch) {
  const Settings settings{.epochs = 2, .seed = 4};
  Training whole(settings, digits());
  ASSERT_TRUE(whole.run());
  {
    Training part(settings, digits());
    const taper::train::Interrupt interrupt;
    int batch = 0;
    EXPECT_FALSE(part.run([&](double) {
      if (++batch == 30) std::raise(SIGINT);
      return taper::train::Interrupt::requested();
    }));
    EXPECT_EQ(part.epoch(), 1);
    EXPECT_EQ(part.batch(), 7);
    part.save(file("checkpoint.pt"));
  }
  Training rest(file("checkpoint.pt"), digits());
  EXPECT_TRUE(rest.run());
  expect_same_bits(whole, rest);
}

TEST_F(Resume, ContinuesAfterLastEpoch) {
  Training whole(Settings{.epochs = 2, .seed = 5}, digits());
  whole.run();
  Training part(Settings{.epochs = 1, .seed = 5}, digits());
  part.run();
  part.save(file("checkpoint.pt"));
  Training rest(file("checkpoint.pt"), digits());
  rest.set_epochs(2);
  rest.run();
  expect_same_bits(whole, rest);
}

TEST_F(Resume, RejectsOtherFiles) {
  EXPECT_THROW(Training(file("none.pt"), digits()), taper::IoError);
  taper::save(taper::Value::dict({{"epoch", 1}}), file("other.pt"));
  EXPECT_EQ(error_text<taper::KeyError>([&] { Training training(file("other.pt"), digits()); }),
            file("other.pt") +
                " is not a checkpoint of this demo: 'settings' is not a key of the dict, which has "
                "'epoch'");
  Training training(Settings{.epochs = 1}, digits());
  int batch = 0;
  training.run([&](double) { return ++batch == 2; });
  training.save(file("good.pt"));
  const taper::Value good = taper::load(file("good.pt"));
  const auto reject = [&](const char* key, const taper::Value& value) {
    taper::Value changed = good.as_dict().copy();
    changed[key] = value;
    taper::save(changed, file("changed.pt"));
    EXPECT_THROW(Training(file("changed.pt"), digits()), taper::Error) << key;
  };
  reject("epoch_generators", taper::Value::list());
  reject("generators", taper::Value::list({taper::zeros({10}, {.dtype = taper::DType::u8}), {}}));
  reject("model_state_dict", taper::Value::dict());
  reject("optimizer_state_dict", taper::Value::dict());
  reject("sums", 3);
}

}  // namespace
}  // namespace demo
