// SummaryWriter: values of each kind. The cases of tools/oracle compare them with PyTorch's.
#include "taper/train/summary_writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "event_dir.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/tensors.h"
#include "support/warning_capture.h"
#include "taper/core/factory.h"

namespace {

using namespace taper;
using namespace taper::train;
using taper::test::error_message, taper::test::EventDir, taper::test::WarningCapture;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

float scalar_of(const SummaryValue& value) { return std::get<float>(value.data); }

TEST(SummaryWriter, WritesScalars) {
  const EventDir dir;
  const double before = seconds_now();
  SummaryWriter writer(dir.path());
  writer.add_scalar("loss", 0.5, 3, {.walltime = 12.5});
  writer.add_scalar("count", 7);
  writer.add_scalar("flag", true, -2);
  writer.add_scalar("tensor", tensor({{2.5}}));
  writer.close();
  const std::vector<Event> events = dir.events();
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[1].wall_time, 12.5);
  EXPECT_EQ(events[1].step, 3);
  EXPECT_EQ(events[1].values.at(0).tag, "loss");
  EXPECT_EQ(scalar_of(events[1].values.at(0)), 0.5f);
  EXPECT_EQ(events[2].step, 0);
  EXPECT_GE(events[2].wall_time, before);
  EXPECT_LE(events[2].wall_time, seconds_now());
  EXPECT_EQ(events[3].step, -2);
  EXPECT_EQ(scalar_of(events[3].values.at(0)), 1.0f);
  EXPECT_EQ(scalar_of(events[4].values.at(0)), 2.5f);
}

TEST(SummaryWriter, NamesFilesAsTensorBoardExpects) {
  const EventDir dir;
  SummaryWriter writer(dir.path("a/b"), {.filename_suffix = ".end"});
  EXPECT_EQ(writer.get_logdir(), dir.path("a/b"));
  const std::string name = std::filesystem::path(dir.file("a/b")).filename().string();
  EXPECT_TRUE(name.starts_with("events.out.tfevents.")) << name;
  EXPECT_TRUE(name.ends_with(".end")) << name;
}

TEST(SummaryWriter, WritesHistograms) {
  const EventDir dir;
  SummaryWriter writer(dir.path());
  writer.add_histogram("h", tensor({1.0, 2.0, 2.0, 4.0}), 1, {.bins = 3});
  writer.add_histogram("edges", tensor({1, 2, 5}), 1, {.bins = {0.0, 2.0, 3.0}});
  writer.add_histogram_raw("raw", {.num = 3, .bucket_limit = {1, 2}, .bucket = {2, 1}}, 1);
  writer.close();
  const auto h = std::get<HistogramSummary>(dir.value().data);
  EXPECT_EQ(h.num, 4);
  EXPECT_EQ(h.sum, 9);
  EXPECT_EQ(h.sum_squares, 25);
  EXPECT_EQ(h.bucket, std::vector<double>({0, 1, 2, 1}));
  EXPECT_EQ(h.bucket_limit, std::vector<double>({1, 2, 3, 4}));
  EXPECT_EQ(std::get<HistogramSummary>(dir.value(2).data).bucket, std::vector<double>({0, 1, 1}));
  EXPECT_EQ(std::get<HistogramSummary>(dir.value(3).data).bucket, std::vector<double>({2, 1}));
}

TEST(SummaryWriter, WritesImagesAndSounds) {
  const EventDir dir;
  const WarningCapture warnings;
  SummaryWriter writer(dir.path());
  writer.add_image("image", rand({3, 4, 5}));
  writer.add_images("batch", zeros({9, 1, 2, 3}, {.dtype = uint8}));
  writer.add_audio("loud", tensor({2.0, -0.5}), 1, {.sample_rate = 8000});
  writer.close();
  const auto image = std::get<ImageSummary>(dir.value().data);
  EXPECT_EQ(image.height, 4);
  EXPECT_EQ(image.width, 5);
  EXPECT_EQ(image.colorspace, 3);
  EXPECT_TRUE(image.encoded_image.starts_with("\x89PNG"));
  const auto batch = std::get<ImageSummary>(dir.value(2).data);
  EXPECT_EQ(batch.height, 4);
  EXPECT_EQ(batch.width, 24);
  const auto audio = std::get<AudioSummary>(dir.value(3).data);
  EXPECT_EQ(audio.length_frames, 2);
  EXPECT_EQ(audio.sample_rate, 8000);
  EXPECT_EQ(audio.encoded_audio.substr(44), "\xff\x7f\x01\xc0");  // 32767, -16383
  EXPECT_EQ(warnings.count(), 1u);
}

TEST(SummaryWriter, WritesTensorsOfAllDTypes) {
  const EventDir dir;
  SummaryWriter writer(dir.path());
  std::vector<Tensor> tensors;
  for (const DType dtype :
       {float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8, bool_})
    tensors.push_back(tensor({{0, 1, 1}, {0, 0, 1}}).to(dtype));
  tensors.push_back(tensor(-3));
  tensors.push_back(zeros({2, 0}));
  for (const Tensor& t : tensors) writer.add_tensor("t", t);
  writer.close();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto read = std::get<Tensor>(dir.value(i + 1).data);
    EXPECT_EQ(read.dtype(), tensors[i].dtype());
    EXPECT_TRUE(equal(read, tensors[i])) << read << tensors[i];
  }
  EXPECT_NE(error_message<ValueError>([&] {
              writer.add_tensor("t", zeros({2}, {.dtype = uint32}));
              return 0;
            }),
            "");
}

TEST(SummaryWriter, WritesCurvesAsRuns) {
  const EventDir dir;
  SummaryWriter writer(dir.path());
  writer.add_scalars("loss/all", Value::dict({{"train", 1.0}, {"valid", tensor(2.0)}}), 1);
  writer.add_scalars("loss/all", Value::dict({{"train", 3}}), 2);
  writer.close();
  EXPECT_EQ(dir.events().size(), 1u);
  EXPECT_EQ(dir.events("loss_all_train").size(), 3u);
  EXPECT_EQ(dir.events("loss_all_valid").at(1).values.at(0).tag, "loss/all");
}

TEST(SummaryWriter, WritesHyperparametersIntoTheirRun) {
  const EventDir dir;
  SummaryWriter writer(dir.path());
  const Value hparams = Value::dict({{"lr", 0.1}, {"name", "adam"}, {"none", Value()}});
  writer.add_hparams(hparams, Value::dict({{"accuracy", 0.5}}), {.run_name = "first"});
  writer.add_hparams(hparams, Value::dict({{"accuracy", 0.5}}), {.run_name = "."});
  writer.add_hparams(hparams, Value::dict());
  writer.close();
  EXPECT_EQ(dir.events("first").size(), 5u);
  EXPECT_EQ(dir.events("first").at(1).values.at(0).tag, "_hparams_/experiment");
  EXPECT_EQ(train::event_files(dir.path()).size(), 1u);
  EXPECT_EQ(dir.events().size(), 5u);
}

TEST(SummaryWriter, PurgesStepsOfARestartedRun) {
  const EventDir dir;
  for (const std::optional<std::int64_t> purge_step :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(2)}) {
    SummaryWriter writer(dir.path(), {.purge_step = purge_step});
    for (std::int64_t i = purge_step.value_or(0); i < 4; ++i)
      writer.add_scalar("a", purge_step ? 10 * i : i, i, {.new_style = i == 3});
  }
  std::vector<double> values;
  const auto scalars = read_scalars(dir.path());
  for (const ScalarEvent& point : scalars.at("a")) values.push_back(point.value);
  EXPECT_EQ(values, std::vector<double>({0, 1, 20, 30}));
}

TEST(SummaryWriter, ReopensAfterClose) {
  const EventDir dir;
  SummaryWriter writer(dir.path());
  writer.close();
  writer.close();
  writer.flush();
  writer.add_scalar("a", 1);
  writer.close();
  EXPECT_EQ(train::event_files(dir.path()).size(), 2u);
  EXPECT_EQ(dir.events().size(), 3u);
}

TEST(SummaryWriter, RejectsInvalidArguments) {
  const EventDir dir;
  SummaryWriter writer(dir.path());
  const Tensor image = rand({3, 4, 4}), two = tensor({1.0, 2.0});
  const auto rejects = [&](auto call) {
    return error_message([&] {
      call();
      return 0;
    });
  };
  EXPECT_EQ(rejects([&] { writer.add_scalar("a", two); }),
            "add_scalar: 'a': Tensor should contain one element (0 dimensions). Was given size: 2 "
            "and 1 dimensions.");
  EXPECT_EQ(rejects([&] { writer.add_scalar("\xff", 1); }),
            "add_scalar: the tag '\\xff' is not UTF-8");
  EXPECT_EQ(rejects([&] { writer.add_text("a", "\xff"); }),
            "add_text: the text '\\xff' is not UTF-8");
  EXPECT_EQ(rejects([&] { writer.add_histogram("a", zeros({0})); }),
            "add_histogram: The input has no element.");
  EXPECT_EQ(rejects([&] {
              writer.add_histogram("a", two, 1, {.bins = {3.0, 4.0}});
            }),
            "add_histogram: no value is within the bins");
  EXPECT_EQ(rejects([&] { writer.add_histogram("a", two, 1, {.bins = "best"}); }),
            "add_histogram: 'best' is not a valid estimator for `bins`");
  EXPECT_EQ(rejects([&] { writer.add_histogram("a", two / 0, 1, {.bins = "auto"}); }),
            "add_histogram: the values must be finite with these bins, got inf");
  EXPECT_EQ(rejects([&] { writer.add_histogram("a", two, 1, {.bins = 0}); }),
            "add_histogram: `bins` must be positive, when an integer");
  EXPECT_EQ(rejects([&] {
              writer.add_histogram("a", two, 1, {.bins = {2.0, 1.0}});
            }),
            "add_histogram: `bins` must increase monotonically, when an array");
  EXPECT_EQ(rejects([&] { writer.add_histogram("a", two, 1, {.max_bins = 0}); }),
            "add_histogram: max_bins must be positive, got 0");
  EXPECT_EQ(rejects([&] { writer.add_histogram_raw("a", {.bucket = {1}}); }),
            "add_histogram_raw: bucket_limit and bucket differ in size: 0 and 1");
  EXPECT_EQ(
      rejects([&] { writer.add_image("a", image, 1, {.dataformats = "HW"}); }),
      "add_image: size of input tensor and input format are different. tensor shape: (3, 4, 4), "
      "input_format: HW");
  EXPECT_EQ(rejects([&] { writer.add_image("a", image, 1, {.dataformats = "CHH"}); }),
            "add_image: You can not use the same dimension shorthand twice. input_format: CHH");
  EXPECT_EQ(rejects([&] { writer.add_image("a", image, 1, {.dataformats = "CHX"}); }),
            "add_image: dataformats: expected a permutation of HWC, got 'CHX'");
  EXPECT_EQ(rejects([&] {
              writer.add_image("a", rand({5, 4, 4}));
            }),
            "add_image: expected 1 to 4 channels, got 5");
  EXPECT_EQ(rejects([&] {
              writer.add_image("a", rand({3, 0, 4}));
            }),
            "add_image: unsupported size of an image: 0 x 4");
  EXPECT_EQ(rejects([&] {
              writer.add_audio("a", rand({2, 4}));
            }),
            "add_audio: input tensor should be 1 dimensional.");
  EXPECT_EQ(rejects([&] { writer.add_audio("a", rand({4}), 1, {.sample_rate = 0}); }),
            "add_audio: sample_rate: expected 1 to 1073741823, got 0");
  EXPECT_EQ(rejects([&] { writer.add_pr_curve("a", two, image); }),
            "add_pr_curve: labels and predictions differ in shape: [2] and [3, 4, 4]");
  EXPECT_EQ(rejects([&] { writer.add_hparams(1, Value::dict()); }),
            "add_hparams: hparam_dict should be a dictionary, got int");
  EXPECT_EQ(
      rejects([&] {
        writer.add_hparams(Value::dict({{"a", 0.5}}), Value::dict(),
                           {.hparam_domain_discrete = Value::dict({{"a", Value::list({1})}})});
      }),
      "parameter: hparam_domain_discrete[a] should be a list of same type as hparam_dict[a].");
  EXPECT_EQ(rejects([&] {
              writer.add_scalars("a", Value::dict({{"b", "c"}}));
            }),
            "add_scalars: 'b': expected a number or a tensor with one element, got str");
  EXPECT_EQ(rejects([&] { writer.add_custom_scalars_marginchart({"a"}); }),
            "add_custom_scalars: Expected 3 tags, got 1.");
  EXPECT_EQ(rejects([&] {
              writer.add_custom_scalars({{"a", {{"b", "Pie", {}}}}});
            }),
            "add_custom_scalars: the type of a chart is Multiline or Margin, got 'Pie'");
  writer.close();
  EXPECT_EQ(dir.events().size(), 1u) << "an invalid call has written something";
  EXPECT_EQ(rejects([&] { SummaryWriter(dir.path(), {.max_queue = 0}); }),
            "SummaryWriter: max_queue must be positive, got 0");
  EXPECT_EQ(rejects([&] { SummaryWriter(dir.path(), {.flush_secs = -1}); }),
            "SummaryWriter: flush_secs must not be negative, got -1");
}

}  // namespace
