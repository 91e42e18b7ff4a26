#include "taper/core/warning.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace taper;

TEST(Warning, IsPrintedOncePerText) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) warn("the first text of this test");
  warn("the second text of this test");
  warn("the first text of this test");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "taper: warning: the first text of this test\n"
            "taper: warning: the second text of this test\n");
}

TEST(Warning, ReachesAHandlerEachTime) {
  std::vector<std::string> texts;
  const auto before = set_warning_handler([&](const std::string& text) { texts.push_back(text); });
  for (int i = 0; i < 2; ++i) warn("a repeated text");
  set_warning_handler(before);
  EXPECT_EQ(texts, std::vector<std::string>(2, "a repeated text"));
}

}  // namespace
