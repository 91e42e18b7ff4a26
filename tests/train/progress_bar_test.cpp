#include "taper/train/progress_bar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "support/contains.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"

namespace {

using namespace taper::train;
using taper::test::contains, taper::test::read_bytes, taper::test::TempDir;

Progress sample_progress() {
  return {.description = "epoch  3/20",
          .step = 12,
          .total = 23,
          .fields = {{"loss", "0.5300"}, {"accuracy", " 84.3 %"}},
          .samples_per_second = 5321,
          .seconds_left = 41};
}

TEST(ProgressBar, FormatsDurations) {
  EXPECT_EQ(format_duration(7), "0:07");
  EXPECT_EQ(format_duration(187.4), "3:07");
  EXPECT_EQ(format_duration(3765), "1:02:45");
  EXPECT_EQ(format_duration(-1), "?");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(format_duration(std::nan("")), "?");
}

TEST(ProgressBar, FitsIntoTheTerminal) {
  const Progress p = sample_progress();
  EXPECT_EQ(progress_text(p, 120),
            "epoch  3/20 [===============               ] 12/23  loss 0.5300  accuracy  84.3 %    "
            "5321 samples/s  0:41 left");
  EXPECT_EQ(progress_text(p, 1000, false),
            "epoch  3/20 12/23  loss 0.5300  accuracy  84.3 %    5321 samples/s  0:41 left");
  for (int width = 1; width < 130; ++width)
    EXPECT_LT(static_cast<int>(progress_text(p, width).size()), width);
}

TEST(ProgressBar, CutsBetweenCharacters) {
  const Progress p{.description = "λλλ"};
  EXPECT_EQ(progress_text(p, 4), "λ");
  EXPECT_EQ(progress_text(p, 5), "λλ");
}

TEST(ProgressBar, PrintsWithoutKnownTotal) {
  const Progress p{.step = 7, .fields = {{"loss", "1.5"}}};
  EXPECT_EQ(progress_text(p, 80), "7  loss 1.5");
}

TEST(ProgressBar, PrintsLinesOffATerminal) {
  const TempDir dir;
  const std::string path = dir / "out";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  {
    ProgressBar bar({.description = "run", .total = 2, .output = file, .line_seconds = 0});
    bar.update(4, {{"loss", 0.25}, {"tiny", 1e-7}});
    bar.clear();
    bar.restart("next", 5);
    bar.update(4);
  }
  const std::string lines = read_bytes(path);
  EXPECT_TRUE(lines.starts_with("run 1/2  loss 0.2500  tiny 1e-07")) << lines;
  EXPECT_TRUE(contains(lines, "\nnext 1/5"));
  EXPECT_FALSE(contains(lines, "\r"));
  { ProgressBar({.output = file}).update(1); }
  std::fclose(file);
  EXPECT_EQ(read_bytes(path), lines) << "a line before line_seconds have passed";
}

}  // namespace
