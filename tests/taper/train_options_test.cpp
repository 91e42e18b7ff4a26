// Options of `taper train`: configuration files, augmentation, precision and profiles.
#include <gtest/gtest.h>

#include <filesystem>

#include "command.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper_paths.h"
#include "transform_factory.h"

namespace taper::cli::test {
namespace {

const std::string kClassifier = "Sequential(Flatten(), Linear(16, 2))";

/// Creates 20 images of 4 x 4 pixels in each of two classes, dark and bright.
void draw_two_classes(const TempDir& folder) {
  for (int i = 0; i < 20; ++i)
    for (int label = 0; label < 2; ++label) {
      const std::string below = folder / ("data/class" + std::to_string(label));
      std::filesystem::create_directories(below);
      write_bytes(below + "/" + std::to_string(i) + ".pgm",
                  "P5 4 4 255\n" + std::string(16, static_cast<char>(20 + i + 60 * label)));
    }
}

std::vector<std::string> train(const TempDir& folder, const std::string& out,
                               std::vector<std::string> more) {
  std::vector<std::string> line = {"train",   kClassifier, "--data",   folder / "data",
                                   "--input", "1x4x4",     "--epochs", "3",
                                   "--batch", "8",         "--out",    folder / out};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

bool equal_weights(const std::string& a, const std::string& b) {
  const taper::Value first = taper::load(a + "/sequential.pt");
  const taper::Value second = taper::load(b + "/sequential.pt");
  for (const auto& [name, v] : first.as_dict())
    if (!taper::equal(v.as_tensor(), second[name].as_tensor())) return false;
  return true;
}

TEST(TrainOptions, AreSavedAndReadAsConfiguration) {
  const TempDir folder;
  draw_two_classes(folder);
  const Outcome first = run(train(folder, "a",
                                  {"--augment", "RandomHorizontalFlip", "--augment",
                                   "RandomCrop(4, padding=1)", "--lr", "0.02"}));
  ASSERT_EQ(first.status, 0) << first.err;
  const Outcome again = run({"train", "--config", folder / "a/config.toml", "--out", folder / "b"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(equal_weights(folder / "a", folder / "b"));
  EXPECT_EQ(read_bytes(folder / "a/config.toml"), read_bytes(folder / "b/config.toml"));
  const Outcome other = run({"train", "--config", folder / "a/config.toml", "--out", folder / "c",
                             "--lr", "0.03"});  // the command line precedes the file
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_FALSE(equal_weights(folder / "a", folder / "c"));
  EXPECT_EQ(taper::load(folder / "c/checkpoint.pt")["settings"]["lr"].as_double(), 0.03);
  EXPECT_EQ(taper::load(folder / "c/checkpoint.pt")["settings"]["augmentations"].size(), 2u);
}

TEST(TrainOptions, NormalizeImagesInTrainingAndPrediction) {
  const TempDir folder;
  draw_two_classes(folder);
  const Outcome whole = run(train(folder, "a", {"--mean", "0.2", "--std", "0.1"}));
  ASSERT_EQ(whole.status, 0) << whole.err;
  const Outcome again =
      run({"train", "--config", folder / "a/config.toml", "--out", folder / "b", "--epochs", "1"});
  ASSERT_EQ(again.status, 0) << again.err;
  const Outcome resumed = run({"train", kClassifier, "--data", folder / "data", "--input", "1x4x4",
                               "--epochs", "3", "--out", folder / "b", "--resume"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(equal_weights(folder / "a", folder / "b"));

  const auto probability = [&](const std::string& weights, std::vector<std::string> options) {
    std::vector<std::string> line = {
        "predict", kClassifier, "--weights", folder / ("a/" + weights),
        "--input", "1x4x4",     "--image",   folder / "data/class1/3.pgm",
        "--json"};
    line.insert(line.end(), options.begin(), options.end());
    const Outcome o = run(line);
    EXPECT_EQ(o.status, 0) << o.err;
    return o.json()["predictions"][0]["top"][0]["probability"].get<double>();
  };
  const double expected = probability("checkpoint.pt", {});
  EXPECT_EQ(probability("sequential.pt", {"--mean", "0.2", "--std", "0.1"}), expected);
  EXPECT_NE(probability("sequential.pt", {}), expected);
}

TEST(TrainOptions, RejectInvalidNormalizations) {
  const TempDir folder;
  draw_two_classes(folder);
  const std::vector<std::vector<std::string>> invalid = {{"--mean", "0.2"},
                                                         {"--mean", "0.2", "--std", "0"},
                                                         {"--mean", "0.2,0.3", "--std", "0.1,0.1"},
                                                         {"--mean", "nan", "--std", "0.1"}};
  for (const auto& options : invalid) {
    const Outcome o = run(train(folder, "a", options));
    EXPECT_EQ(o.status, 2) << options.back();
    EXPECT_TRUE(contains(o.err, "--mean and --std: expected")) << o.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(TrainOptions, RejectWrongConfigurations) {
  const TempDir folder;
  const auto error_of = [&](const std::string& text) {
    write_bytes(folder / "options.toml", text);
    const Outcome o = run({"train", "lenet", "--config", folder / "options.toml"});
    EXPECT_EQ(o.status, 2) << text;
    return o.err;
  };
  EXPECT_TRUE(contains(error_of("modle = \"lenet\"\n"), "unknown option 'modle'"));
  EXPECT_TRUE(contains(error_of("[train]\nlr = 1\n"), "unknown option 'train"));
  EXPECT_TRUE(contains(error_of("lr = \"fast\"\n"), "fast"));
  EXPECT_TRUE(contains(error_of("out = \"x\"\n"), "unknown option 'out'"));
  EXPECT_TRUE(contains(error_of("epochs = 1\n"), "--data is required"));
  const Outcome absent = run({"train", "lenet", "--config", folder / "none.toml"});
  EXPECT_EQ(absent.status, 2);
  EXPECT_TRUE(contains(absent.err, "none.toml: cannot be read"));
}

TEST(TrainOptions, AugmentTrainingImages) {
  const TempDir folder;
  draw_two_classes(folder);
  ASSERT_EQ(run(train(folder, "plain", {})).status, 0);
  ASSERT_EQ(run(train(folder, "none", {"--augment", "RandomInvert(0.0)"})).status, 0);
  ASSERT_EQ(run(train(folder, "some", {"--augment", "RandomInvert(1.0)"})).status, 0);
  EXPECT_FALSE(equal_weights(folder / "plain", folder / "some"));
  const std::vector<std::string> noise{"--augment", "GaussianNoise(sigma=0.2)", "--workers", "2"};
  ASSERT_EQ(run(train(folder, "threads", noise)).status, 0);
  ASSERT_EQ(run(train(folder, "again", noise)).status, 0);
  EXPECT_TRUE(equal_weights(folder / "threads", folder / "again"));

  const Outcome shape = run(train(folder, "out", {"--augment", "CenterCrop(2)"}));
  EXPECT_EQ(shape.status, 1);
  EXPECT_TRUE(contains(shape.err, "expected an image of shape [1, 4, 4], got [1, 2, 2]"));
  const auto error_of = [&](const std::string& text) {
    const Outcome o = run(train(folder, "out", {"--augment", text}));
    EXPECT_EQ(o.status, 2) << text;
    return o.err;
  };
  EXPECT_TRUE(contains(error_of("Mirror"), "unknown class 'Mirror'"));
  EXPECT_TRUE(contains(error_of("RandomCrop(4, pading=1)"),
                       "RandomCrop() got an unexpected keyword argument 'pading'"));
  EXPECT_TRUE(contains(error_of("RandomCrop"),
                       "RandomCrop: expected a size of one or two numbers (h, w), got []"));
  EXPECT_TRUE(contains(error_of("RandomPosterize"), "missing required argument: 'bits'"));
  EXPECT_TRUE(contains(error_of("RandomInvert(1, 2)"), "takes 1 positional arguments but 2"));
  EXPECT_TRUE(contains(error_of("RandomInvert(0.5, p=1)"), "multiple values for argument 'p'"));
  EXPECT_TRUE(contains(error_of("RandomInvert('x')"), "RandomInvert(): p: expected a number"));
  EXPECT_TRUE(contains(error_of("RandomInvert(2)"), "RandomInvert(2)"));
  EXPECT_TRUE(contains(error_of("7"), "expected a transform"));
}

TEST(TrainOptions, ResumeAugmentedRunsToTheSameBits) {
  const TempDir folder;
  draw_two_classes(folder);
  const std::vector<std::string> noise{"--augment", "GaussianNoise(sigma=0.2)"};
  ASSERT_EQ(run(train(folder, "whole", noise)).status, 0);
  std::vector<std::string> part = train(folder, "part", noise);
  part[7] = "1";  // epochs
  ASSERT_EQ(run(part).status, 0);
  ASSERT_EQ(run({"train", kClassifier, "--data", folder / "data", "--input", "1x4x4", "--out",
                 folder / "part", "--resume", "--epochs", "3"})
                .status,
            0);
  EXPECT_TRUE(equal_weights(folder / "whole", folder / "part"));
}

TEST(TrainOptions, SelectThePrecision) {
  const TempDir folder;
  draw_two_classes(folder);
  ASSERT_EQ(run(train(folder, "f32", {})).status, 0);
  for (const char* precision : {"bfloat16", "float16"}) {
    const Outcome o = run(train(folder, precision, {"--precision", precision}));
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_FALSE(equal_weights(folder / "f32", folder / precision));
    const taper::Value saved = taper::load(folder / precision + "/checkpoint.pt");
    EXPECT_EQ(saved["model_state_dict"]["1.weight"].as_tensor().dtype(), float32);
  }
  EXPECT_EQ(run(train(folder, "out", {"--precision", "float64"})).status, 2);
}

TEST(TrainOptions, ProfileSomeSteps) {
  const TempDir folder;
  draw_two_classes(folder);
  const Outcome o = run(train(folder, "out", {"--profile"}));
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string tables = read_bytes(folder / "out/profile.txt");
  for (const char* part : {"linear", "Optimizer.step#SGD.step", "Sequential", "MFLOPs backward"})
    EXPECT_TRUE(contains(tables, part)) << part;
  EXPECT_TRUE(contains(read_bytes(folder / "out/trace.json"), "\"traceEvents\""));
}

TEST(TransformFactory, KnowsEveryClassWithItsParameters) {
  for (const std::string& name : tools::transform_names()) {
    // Either all arguments have default values, or the error names the first one.
    try {
      EXPECT_EQ(tools::make_transform(name, {}, {})->name(), name);
    } catch (const TypeError& error) {
      EXPECT_TRUE(contains(error.what(), name + "() missing required argument")) << error.what();
    } catch (const ValueError&) {  // an empty size
    }
  }
}

}  // namespace
}  // namespace taper::cli::test
