// The demo's printed output.
#include "report.h"

#include <gtest/gtest.h>

#include "support/contains.h"
#include "taper/core/factory.h"

namespace demo {
namespace {

using taper::test::contains;

TEST(Report, FormatsNumbers) {
  EXPECT_EQ(with_commas(7), "7");
  EXPECT_EQ(with_commas(1437), "1,437");
  EXPECT_EQ(with_commas(431080), "431,080");
  EXPECT_EQ(with_commas(1000000), "1,000,000");
}

TEST(Report, AlignsEpochTable) {
  const EpochResult r{.train_loss = 0.5,
                      .train_score = 1,
                      .test_loss = 12.25,
                      .test_score = 0.9444,
                      .seconds = 1.5};
  EXPECT_EQ(epoch_header(Score::accuracy).size(), epoch_line(Score::accuracy, 3, r).size());
  EXPECT_EQ(epoch_line(Score::accuracy, 3, r),
            "    3      0.5000    100.0 %    12.2500    94.4 %   1.50s\n");
  EXPECT_EQ(epoch_header(Score::r2).size(), epoch_line(Score::r2, 3, r).size());
  EXPECT_EQ(epoch_line(Score::r2, 3, r),
            "    3      0.5000      1.000    12.2500     0.944   1.50s\n");
}

TEST(Report, FindsMostConfidentMistakes) {
  taper::Tensor output = taper::full({3, 10}, -9.0);
  output[0][4] = -0.1;   // correct prediction
  output[1][7] = -0.5;   // wrong prediction of moderate probability
  output[2][1] = -0.01;  // wrong prediction of high probability
  const Evaluation v = evaluate(output, taper::tensor({4, 2, 3}));
  EXPECT_EQ(v.confusion[4][4], 1);
  EXPECT_EQ(v.confusion[2][7], 1);
  EXPECT_EQ(v.confusion[3][1], 1);
  ASSERT_EQ(v.mistakes.size(), 2u);
  EXPECT_EQ(v.mistakes[0].image, 2);
  EXPECT_EQ(v.mistakes[0].label, 3);
  EXPECT_EQ(v.mistakes[0].prediction, 1);
  EXPECT_NEAR(v.mistakes[0].probability, 0.990, 1e-3);
  const std::string table = confusion_text(v.confusion);
  EXPECT_TRUE(contains(table, "     3     .   1   .   .   .   .   .   .   .   .\n"));
}

TEST(Report, DrawsDigits) {
  taper::Tensor small = taper::zeros({Digits::kTrain + 1, 2, 2}, {.dtype = taper::DType::u8});
  small[Digits::kTrain][0][1] = 16;
  small[Digits::kTrain][1][0] = 6;
  const std::string text = mistakes_text({{0, 3, 8, 0.97}}, small, 10);
  EXPECT_EQ(text, "     ██\n   ▒▒  \n   3 read as 8  97%\n\n");
}

}  // namespace
}  // namespace demo
