// contains: asserts that a text contains a part, and prints the text otherwise.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace taper::test {

/// Returns the result for `EXPECT_TRUE(contains(text, part))` and `EXPECT_FALSE`. An empty text
/// contains no part, not even an empty one.
inline testing::AssertionResult contains(std::string_view text, std::string_view part) {
  const bool found = !text.empty() && text.find(part) != std::string_view::npos;
  return (found ? testing::AssertionSuccess() : testing::AssertionFailure())
         << "'" << text << "' " << (found ? "contains" : "does not contain") << " '" << part << "'";
}

}  // namespace taper::test
