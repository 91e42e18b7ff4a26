// Options that `taper train --resume` and `taper predict` take from the directory of a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "command.h"
#include "models.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "train_folders.h"

namespace taper::cli::test {
namespace {

/// Runs on the images of draw_folders.
class RunFolderOptions : public ::testing::Test {
 protected:
  void SetUp() override { draw_folders(folder, "data", 20); }

  /// Trains in the directory `out`, with options that differ from the defaults.
  Outcome train(const std::string& out, std::vector<std::string> more) const {
    std::vector<std::string> line = train_command(
        folder, {"--lr", "0.5", "--augment", "GaussianNoise(sigma=0.1)", "--mean", "0.3", "--std",
                 ".2", "--seed", "007", "--checkpoint-every", "2", "--test-share", "0.25"});
    line.insert(line.end(), more.begin(), more.end());
    *(std::find(line.begin(), line.end(), "--out") + 1) = folder / out;
    return run(line);
  }
  Outcome resume(const std::string& out, std::vector<std::string> more) const {
    more.insert(more.begin(), {"train", "--resume", "--out", folder / out});
    return run(more);
  }
  bool equal_weights(const std::string& a, const std::string& b) const {
    const taper::Value first = taper::load(folder / (a + "/sequential.pt")),
                       second = taper::load(folder / (b + "/sequential.pt"));
    for (const auto& [name, v] : first.as_dict())
      if (!taper::equal(v.as_tensor(), second[name].as_tensor())) return false;
    return true;
  }

  const TempDir folder{};
};

TEST_F(RunFolderOptions, AreEnoughToResume) {
  ASSERT_EQ(train("whole", {"--epochs", "4"}).status, 0);
  ASSERT_EQ(train("part", {"--epochs", "2"}).status, 0);
  const Outcome rest = resume("part", {"--epochs", "4"});
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(equal_weights("whole", "part"));
  // The number of epochs is that of the checkpoint, not that of the first call.
  const Outcome nothing = resume("part", {"--json"});
  ASSERT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_EQ(nothing.json()["history"].size(), 4u);
}

TEST_F(RunFolderOptions, DoNotIncludeTheNumberOfWorkers) {
  for (const char* workers : {"0", "1", "3"})
    ASSERT_EQ(train(std::string("of") + workers, {"--epochs", "3", "--workers", workers}).status,
              0);
  EXPECT_TRUE(equal_weights("of0", "of1"));
  EXPECT_TRUE(equal_weights("of0", "of3"));
  ASSERT_EQ(train("part", {"--epochs", "1", "--workers", "2"}).status, 0);
  const Outcome rest = resume("part", {"--epochs", "3", "--workers", "1", "--threads", "1"});
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(equal_weights("of0", "part"));
}

TEST_F(RunFolderOptions, MayBeRepeatedInAnotherForm) {
  ASSERT_EQ(train("whole", {"--epochs", "3"}).status, 0);
  ASSERT_EQ(train("part", {"--epochs", "1"}).status, 0);
  const Outcome rest = resume("part", {"Sequential(Flatten(),Linear(16,3))",
                                       "--data",
                                       folder / "data/../data",
                                       "--input",
                                       "1,4,4",
                                       "--lr",
                                       "5e-1",
                                       "--mean",
                                       "0.30",
                                       "--std",
                                       "0.2",
                                       "--batch",
                                       "8",
                                       "--seed",
                                       "7",
                                       "--optimizer",
                                       "SGD",
                                       "--precision",
                                       "float32",
                                       "--epochs",
                                       "3"});
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(equal_weights("whole", "part"));
}

TEST_F(RunFolderOptions, RejectContradictions) {
  draw_folders(folder, "others", 20);
  ASSERT_EQ(train("out", {"--epochs", "1"}).status, 0);
  const std::string before = read_bytes(folder / "out/checkpoint.pt");
  const auto error_of = [&](const std::vector<std::string>& options) {
    const Outcome o = resume("out", options);
    EXPECT_EQ(o.status, 2) << options[0];
    return o.err;
  };
  for (const auto& [options, text] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"lenet"}, "with model 'Sequential(Flatten(), Linear(16, 3))', not 'lenet'"},
           {{"--input", "1x8x8"}, "with --input '1x4x4', not '1x8x8'"},
           {{"--lr", "0.25"}, "with --lr '0.5', not '0.25'"},
           {{"--batch", "16"}, "with --batch '8', not '16'"},
           {{"--seed", "8"}, "with --seed '7', not '8'"},
           {{"--mean", "0.4"}, "with --mean '0.3', not '0.4'"},
           {{"--test-share", "0.2"}, "with --test-share '0.25', not '0.2'"},
           {{"--augment", "RandomHorizontalFlip"},
            "with --augment 'GaussianNoise(sigma=0.1)', not 'RandomHorizontalFlip'"},
           // Options that the run was created without.
           {{"--momentum", "0.5"}, "without --momentum, not with '0.5'"},
           {{"--schedule", "OneCycleLR"}, "without --schedule, not with 'OneCycleLR'"},
           {{"--arg", "a=1"}, "without --arg, not with 'a=1'"},
           {{"--optimizer", "Adam"}, "with --optimizer 'SGD', not 'Adam'"},
           {{"--precision", "bfloat16"}, "with --precision 'float32', not 'bfloat16'"}}) {
    const std::string error = error_of(options);
    EXPECT_TRUE(contains(error, std::string("config.toml was created ") + text)) << error;
  }
  EXPECT_TRUE(contains(error_of({"--data", folder / "others"}), "with --data '"));
  EXPECT_EQ(read_bytes(folder / "out/checkpoint.pt"), before);
}

TEST_F(RunFolderOptions, FollowDataThatWasMoved) {
  ASSERT_EQ(train("whole", {"--epochs", "2"}).status, 0);
  ASSERT_EQ(train("part", {"--epochs", "1"}).status, 0);
  std::filesystem::rename(folder / "data", folder / "moved");
  EXPECT_EQ(resume("part", {"--epochs", "2"}).status, 1);
  const Outcome rest = resume("part", {"--epochs", "2", "--data", folder / "moved"});
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(equal_weights("whole", "part"));
}

// Numbers and booleans are those of TOML, whatever form they have on the command line.
TEST_F(RunFolderOptions, AreWrittenAsToml) {
  ASSERT_EQ(train("out", {"--epochs", "1", "--profile"}).status, 0);
  const std::string text = read_bytes(folder / "out/config.toml");
  for (const std::string& line :
       {std::string("model = \"Sequential(Flatten(), Linear(16, 3))\""),
        std::string("input = \"1x4x4\""), std::string("augment = [\"GaussianNoise(sigma=0.1)\"]"),
        std::string("epochs = 1"), std::string("lr = 0.5"), std::string("mean = [0.3]"),
        std::string("std = [0.2]"), std::string("batch = 8"), std::string("seed = 7"),
        std::string("checkpoint-every = 2"), std::string("test-share = 0.25"),
        std::string("profile = true")})
    EXPECT_TRUE(contains("\n" + text, "\n" + line + "\n")) << line << "\n" << text;
  const Outcome again =
      run({"train", "--config", folder / "out/config.toml", "--out", folder / "b"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(equal_weights("out", "b"));
  EXPECT_EQ(read_bytes(folder / "b/config.toml"), text);
}

TEST_F(RunFolderOptions, AreUsedToPredict) {
  ASSERT_EQ(train("out", {"--epochs", "2"}).status, 0);
  const std::string image = folder / "data/row1/4.pgm";
  const auto prediction = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"predict", "--image", image, "--json", "--weights"});
    return run(options);
  };
  const Outcome whole = prediction({folder / "out/checkpoint.pt"});
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(whole.json()["predictions"][0]["class"], "row1");
  const Outcome of_folder = prediction({folder / "out"});
  EXPECT_EQ(of_folder.out, whole.out) << of_folder.err;
  const std::vector<std::string> repeated = {"--input", "1x4x4", "--mean", "0.3", "--std", "0.2"};
  std::vector<std::string> line = {folder / "out"};
  line.insert(line.end(), repeated.begin(), repeated.end());
  EXPECT_EQ(prediction(line).out, whole.out);

  for (const auto& [options, text] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"lenet"},
            "was trained with model 'Sequential(Flatten(), Linear(16, 3))', not 'lenet'"},
           {{"--input", "1x8x8"}, "was trained with --input '1x4x4', not '1x8x8'"},
           {{"--arg", "a=1"}, "was trained with --arg '', not 'a=1'"},
           {{"--mean", "0.1", "--std", "0.2"},
            "was trained with --mean 0.3 --std 0.2, not with --mean 0.1 --std 0.2"}}) {
    std::vector<std::string> wrong = {"predict", "--weights", folder / "out"};
    wrong.insert(wrong.end(), options.begin(), options.end());
    wrong.insert(wrong.end(), {"--image", image});
    const Outcome o = run(wrong);
    EXPECT_EQ(o.status, 2) << options[0];
    EXPECT_TRUE(contains(o.err, text)) << o.err;
  }
  // Weights alone do not contain their model.
  const Outcome weights = prediction({folder / "out/sequential.pt"});
  EXPECT_EQ(weights.status, 2);
  EXPECT_TRUE(contains(weights.err, "model is required, since")) << weights.err;
}

TEST_F(RunFolderOptions, NumberOfClassesFollowsFromTheData) {
  const Outcome o =
      run({"train", "lenet", "--data", folder / "data", "--epochs", "1", "--out", folder / "out"});
  ASSERT_EQ(o.status, 0) << o.err;
  const taper::Value state = taper::load(folder / "out/lenet.pt");
  EXPECT_EQ(state["fc2.weight"].as_tensor().shape(), (Shape{3, 500}));
  for (const std::vector<std::string>& weights : {std::vector<std::string>{folder / "out"},
                                                  {folder / "out/checkpoint.pt"},
                                                  {folder / "out/lenet.pt", "lenet"},
                                                  {folder / "out/lenet.pt", "LeNet"}}) {
    std::vector<std::string> line = {
        "predict", "--image", folder / "data/row0/1.pgm", "--top", "10", "--json", "--weights"};
    line.insert(line.end(), weights.begin(), weights.end());
    const Outcome p = run(line);
    ASSERT_EQ(p.status, 0) << p.err;
    const auto top = p.json()["predictions"][0]["top"];
    std::vector<std::string> names;
    for (const auto& item : top) names.push_back(item["class"]);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"row0", "row1", "row2"})) << weights[0];
  }
  const Outcome rest = resume("out", {"--epochs", "2"});
  EXPECT_EQ(rest.status, 0) << rest.err;
}

// A network may have more outputs than the data has classes, if it is given them.
TEST_F(RunFolderOptions, PredictionsAreClassesOfTheData) {
  for (const char* model : {"Sequential(Flatten(), Linear(16, 5))", "lenet(num_classes=5)"}) {
    const bool is_lenet = model[0] == 'l';
    const Outcome o = run({"train", model, "--data", folder / "data", "--epochs", "1", "--input",
                           is_lenet ? "1x28x28" : "1x4x4", "--out", folder / "out"});
    ASSERT_EQ(o.status, 0) << o.err;
    const Outcome p = run({"predict", "--weights", folder / "out", "--image",
                           folder / "data/row2/1.pgm", "--top", "10", "--json"});
    ASSERT_EQ(p.status, 0) << p.err;
    const auto top = p.json()["predictions"][0]["top"];
    EXPECT_EQ(top.size(), 3u);
    double sum = 0;
    for (const auto& item : top) {
      EXPECT_TRUE(item["class"].get<std::string>().starts_with("row"));
      sum += item["probability"].get<double>();
    }
    EXPECT_NEAR(sum, 1, 1e-9);  // rounding of three probabilities in double
  }
}

// Weights of a network with other classes than usual are recognized by their shapes.
TEST(Predict, CreatesNetworksForTheClassesOfTheirWeights) {
  const TempDir folder;
  draw_folders(folder, "data", 1);
  for (const char* model : {"resnet18", "mobilenet_v3_small", "lenet"}) {
    const auto net = make_model({.model = model + std::string("(num_classes=4)")});
    taper::save(net->state_dict(), folder / "weights.pt");
    const Outcome o = run({"predict", model, "--weights", folder / "weights.pt", "--image",
                           folder / "data/row0/0.pgm", "--top", "10", "--json"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.json()["predictions"][0]["top"].size(), 4u) << model;
  }
  const auto other = make_model({.model = "resnet34(num_classes=4)"});
  taper::save(other->state_dict(), folder / "weights.pt");
  const Outcome o = run({"predict", "resnet18", "--weights", folder / "weights.pt", "--image",
                         folder / "data/row0/0.pgm"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.err, "does not match ResNet")) << o.err;
}

}  // namespace
}  // namespace taper::cli::test
