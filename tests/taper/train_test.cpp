// The subcommands `taper train` and `taper predict`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "command.h"
#include "image_set.h"
#include "lenet/lenet.h"
#include "run.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper_paths.h"
#include "train_folders.h"

namespace taper::cli::test {
namespace {

TEST(Train, LearnsImagesByClassAndPredictsThem) {
  const TempDir folder;
  draw_folders(folder, "data", 20);
  const Outcome o = run(train_command(folder, {"--epochs", "8", "--lr", "0.5"}));
  ASSERT_EQ(o.status, 0) << o.err;
  for (const char* part : {"48 training images in 3 classes (folders by class), 12 test images",
                           "epoch  train loss", "    8  "})
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
  EXPECT_FALSE(contains(o.out, "\r")) << "a progress line off a terminal";
  const std::string log = read_bytes(folder / "out/log.csv");
  EXPECT_TRUE(
      log.starts_with("epoch,train_loss,train_accuracy,test_loss,test_accuracy,seconds\n1,"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 9);
  EXPECT_EQ(read_bytes(folder / "out/classes.txt"), "row0\nrow1\nrow2\n");

  const std::string image = folder / "data/row2/3.pgm";
  for (const char* weights : {"out/sequential.pt", "out/checkpoint.pt"}) {
    const Outcome p = run({"predict", kNet, "--weights", folder / weights, "--input", "1x4x4",
                           "--image", image, folder / "data/row0/1.pgm", "--json"});
    ASSERT_EQ(p.status, 0) << p.err;
    const auto predictions = p.json()["predictions"];
    ASSERT_EQ(predictions.size(), 2u);
    EXPECT_EQ(predictions[0]["class"], "row2");
    EXPECT_EQ(predictions[1]["class"], "row0");
    double sum = 0;
    for (const auto& c : predictions[0]["top"]) sum += c["probability"].get<double>();
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  const Outcome bars =
      run_on_terminal({"predict", kNet, "--weights", folder / "out/sequential.pt", "--input",
                       "1x4x4", "--image", image, "--classes", "top,middle,bottom"});
  EXPECT_TRUE(contains(bars.out, "bottom"));
  EXPECT_TRUE(contains(bars.out, "█"));
}

TEST(Train, TrainsModelsOfPlugins) {
  const TempDir folder;
  // LibraryNet is a linear layer with one output, which predicts a number.
  std::string table = "a,b,y\n";
  for (int i = 0; i < 60; ++i)
    table += fmt::format("{},{},{}.5\n", i % 7, i % 5, 2 * (i % 7) - (i % 5));
  write_bytes(folder / "table.csv", table);
  const Outcome o = run({"train", "LibraryNet", "--arg", "width=2", "--plugin", TAPER_TEST_LIBRARY,
                         "--data", folder / "table.csv", "--epochs", "20", "--batch", "8", "--out",
                         folder / "out", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_GE(o.json()["history"][19]["test_r2"].get<double>(), 0.95);
  EXPECT_TRUE(contains(read_bytes(folder / "out/config.toml"), "plugin = "));
  const Outcome p =
      run({"predict", "LibraryNet", "--arg", "width=2", "--plugin", TAPER_TEST_LIBRARY, "--weights",
           folder / "out/checkpoint.pt", "--data", folder / "table.csv", "--json"});
  ASSERT_EQ(p.status, 0) << p.err;
  EXPECT_EQ(p.json()["predictions"].size(), 60u);
}

/// A run of two epochs, to be continued, and the weights of one of four epochs.
class ResumedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    draw_folders(folder, "data", 20);
    ASSERT_EQ(run(train_command(folder, {"--epochs", "4"})).status, 0);
    whole = taper::load(folder / "out/sequential.pt", {.mmap = false});
    std::filesystem::remove_all(folder / "out");
    ASSERT_EQ(run(train_command(folder, {"--epochs", "2"})).status, 0);
  }
  void expect_weights_of_whole_run() const {
    const taper::Value resumed = taper::load(folder / "out/sequential.pt");
    for (const auto& [name, v] : whole.as_dict())
      EXPECT_TRUE(taper::equal(v.as_tensor(), resumed[name].as_tensor())) << name.str();
  }

  const TempDir folder{};
  taper::Value whole{};
};

TEST_F(ResumedRun, EndsWithTheSameBits) {
  const Outcome rest = run({"train", kNet, "--data", folder / "data", "--input", "1x4x4", "--out",
                            folder / "out", "--resume", "--epochs", "4"});
  ASSERT_EQ(rest.status, 0) << rest.err;
  expect_weights_of_whole_run();
  const std::string log = read_bytes(folder / "out/log.csv");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 5);
  const Outcome other =
      run({"train", "lenet", "--data", folder / "data", "--out", folder / "out", "--resume"});
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "not 'lenet'"));
}

TEST(Train, AcceptsOptimizerAndScheduleByName) {
  const TempDir folder;
  draw_folders(folder, "data", 20);
  const Outcome o = run(train_command(
      folder, {"--optimizer", "Adam", "--schedule", "ReduceLROnPlateau", "--epochs", "2"}));
  ASSERT_EQ(o.status, 0) << o.err;
  const taper::Value saved = taper::load(folder / "out/checkpoint.pt");
  EXPECT_EQ(saved["scheduler_state_dict"]["last_epoch"].as_int(), 2);
  EXPECT_EQ(saved["optimizer_state_dict"]["param_groups"][0]["lr"].as_double(), 1e-3);
}

// The results must be bitwise equal to those of the demo's first epoch.
TEST(Train, MatchesDemoOnDigits) {
  const TempDir folder;
  const Outcome o = run({"train", "lenet", "--data", TAPER_DATA "/digits", "--epochs", "1", "--out",
                         folder / "out", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.json()["train_images"], 1437);
  EXPECT_EQ(o.json()["test_images"], 360);
  const training::ExampleSet set = training::read_image_set(TAPER_DATA "/digits", {}, 0.2);
  training::Run here({.epochs = 1}, set.examples, [] { return std::make_shared<lenet::LeNet>(); });
  here.run();
  EXPECT_EQ(o.json()["history"][0]["test_accuracy"], here.history()[0].test_score);
  const taper::Value there = taper::load(folder / "out/lenet.pt");
  const taper::Value weights = here.module().state_dict();
  for (const auto& [name, v] : weights.as_dict())
    EXPECT_TRUE(taper::equal(v.as_tensor(), there[name].as_tensor())) << name.str();
}

TEST(Train, SavesRunOnCtrlC) {
  const TempDir folder;
  const std::vector<std::string> line = {"train", "lenet",       "--data", TAPER_DATA "/digits",
                                         "--out", folder / "out"};
  const Outcome o = run_on_terminal(line, "samples/s", "\x03");
  EXPECT_EQ(o.status, 130) << o.out;
  EXPECT_TRUE(contains(o.out, "continue with --resume"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/checkpoint.pt"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/lenet.pt"));
}

TEST(Train, SavesRunOnSigterm) {
  const TempDir folder;
  const Outcome o =
      run_shell("$TAPER train lenet --data " TAPER_DATA "/digits --epochs 1000 --out " +
                (folder / "out") + " & sleep 1; while ! [ -s " + (folder / "out/checkpoint.pt") +
                " ]; do sleep 0.1; done; kill -TERM $!; wait $!");
  EXPECT_EQ(o.status, 143) << o.out << o.err;
  EXPECT_TRUE(contains(o.out, "continue with --resume"));
}

TEST_F(ResumedRun, ContinuesAfterTheLastStepBeforeAnError) {
  // The log of the steps reaches the limit of file sizes, as on a full disk, in the third epoch.
  std::string steps = read_bytes(folder / "out/steps.csv");
  while (steps.size() < 120 * 512 - 60) steps += "1,0.5,0.05\n";
  write_bytes(folder / "out/steps.csv", steps);
  const std::string resume = "$TAPER train '" + kNet + "' --data " + (folder / "data") +
                             " --input 1x4x4 --resume --epochs 4 --out " + (folder / "out");
  const Outcome failed = run_shell("ulimit -f 120; " + resume);
  EXPECT_EQ(failed.status, 1) << failed.out;
  EXPECT_TRUE(contains(failed.err, "steps.csv")) << failed.err;
  EXPECT_TRUE(contains(failed.out, "Failed in epoch 3 after batch")) << failed.out;
  EXPECT_GT(taper::load(folder / "out/checkpoint.pt")["batch"].as_int(), 0);
  const Outcome rest = run_shell(resume);
  ASSERT_EQ(rest.status, 0) << rest.err;
  expect_weights_of_whole_run();
}

TEST(Train, SavesStepsWithinAnEpoch) {
  const TempDir folder;
  draw_folders(folder, "data", 10);  // three batches of training images
  const Outcome o = run(train_command(folder, {"--lr", "1e30", "--checkpoint-every", "1"}));
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.err, "in epoch 1 after batch 2 (step 3)")) << o.err;
  EXPECT_EQ(taper::load(folder / "out/checkpoint.pt")["batch"].as_int(), 2);
}

TEST(Train, ReportsErrors) {
  const TempDir folder;
  draw_folders(folder, "data", 5);
  const Outcome nothing =
      run({"train", "lenet", "--data", folder.path() + "/none", "--out", folder / "out"});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_TRUE(contains(nothing.err, "/none"));
  const Outcome few = run({"train", "Sequential(Flatten(), Linear(16, 2))", "--data",
                           folder / "data", "--input", "1x4x4", "--out", folder / "out"});
  EXPECT_EQ(few.status, 1);
  EXPECT_TRUE(contains(few.err, "has 2 outputs, but the data has 3 classes"));
  EXPECT_EQ(run({"train", "lenet", "--data", folder / "data", "--input", "2x4x4"}).status, 2);
  for (const char* rate : {"-1", "nan", "inf", "fast"})
    EXPECT_EQ(run(train_command(folder, {"--lr", rate})).status, 2) << rate;
  const Outcome diverged = run(train_command(folder, {"--lr", "1e30", "--epochs", "3"}));
  EXPECT_EQ(diverged.status, 1);
  EXPECT_TRUE(contains(diverged.err,
                       "(step 3): the first module with a result that is not finite is '1' "
                       "(Linear): 24 of 24 elements; its parameter 'weight' is not finite"))
      << diverged.err;
  EXPECT_TRUE(contains(diverged.err, ". Try a --lr smaller than 1e+30"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out/sequential.pt"));
  EXPECT_EQ(run(train_command(folder, {"--log", folder / "none/log.csv"})).status, 1);
  EXPECT_EQ(run(train_command(folder, {"--resume", "--lr", "0.1"})).status, 2);
  const Outcome optimizer = run(train_command(folder, {"--optimizer", "Adma"}));
  EXPECT_EQ(optimizer.status, 2);
  EXPECT_TRUE(contains(optimizer.err, "Adam,AdamW"));
  const Outcome momentum = run(train_command(folder, {"--optimizer", "Adam", "--momentum", "0.9"}));
  EXPECT_EQ(momentum.status, 1);
  EXPECT_TRUE(contains(momentum.err, "unexpected keyword argument 'momentum'"));
  write_bytes(folder / "data/row1/broken.png", "\x89PNG\r\n\x1a\nnothing");
  const Outcome broken = run(train_command(folder, {}));
  EXPECT_EQ(broken.status, 1);
  EXPECT_TRUE(contains(broken.err, "broken.png"));
}

TEST(Predict, RejectsMismatchedFiles) {
  const TempDir folder;
  write_bytes(folder / "a.pgm", "P5 4 4 255\n" + std::string(16, 'x'));
  write_bytes(folder / "weights.pt", "no file");
  EXPECT_EQ(
      run({"predict", "lenet", "--weights", folder / "weights.pt", "--image", folder / "a.pgm"})
          .status,
      1);
  EXPECT_EQ(run({"predict", "lenet", "--image", folder / "a.pgm"}).status, 2);
  const taper::Value weights = std::make_shared<lenet::LeNet>()->state_dict();
  taper::save(weights, folder / "lenet.pt");
  const Outcome names = run({"predict", "lenet", "--weights", folder / "lenet.pt", "--image",
                             folder / "a.pgm", "--classes", "a,b,c,d,e,f,g,h,i,j,k"});
  EXPECT_EQ(names.status, 2);
  EXPECT_TRUE(contains(names.err, "got 11 names, but LeNet has 10 outputs"));
  const Outcome a_folder =
      run({"predict", "lenet", "--weights", folder / "lenet.pt", "--image", folder.path()});
  EXPECT_TRUE(contains(a_folder.err, "is a directory, expected a file"));
}

}  // namespace
}  // namespace taper::cli::test
