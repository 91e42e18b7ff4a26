#include "core/glob.h"

#include <gtest/gtest.h>

namespace taper {
namespace {

TEST(Glob, MatchesStarsLazily) {
  EXPECT_EQ(glob_replace("a.1.2.b.3", "a.*.b.*", "<*><*>"), "<1.2><3>");
  EXPECT_EQ(glob_replace("x.y.z", "*.*", "*|*"), "x|y.z");
  EXPECT_EQ(glob_replace("abc", "a**", "<*><*>"), "<><bc>");
  EXPECT_EQ(glob_replace("abc", "**c", "<*><*>"), "<><ab>");
  EXPECT_EQ(glob_replace("a.b.b", "*.b", "*"), "a.b");
  EXPECT_EQ(glob_replace("layer1.bn2", "layer?.bn[1-3]", "x"), "x");
  EXPECT_EQ(glob_replace("layer1", "layer", "x"), std::nullopt);
}

// Backtracking over the text that each star matches would take exponential time.
TEST(Glob, IsLinearInNumberOfStars) {
  const std::string text(5000, 'a');
  std::string pattern;
  for (int i = 0; i < 20; ++i) pattern += "a*";
  EXPECT_FALSE(glob_matches(pattern + "b", text));
  EXPECT_EQ(glob_replace(text + "b", pattern + "b", "x"), "x");
}

}  // namespace
}  // namespace taper
