#include "taper/version.h"

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(Version, LibraryAgreesWithHeaders) {
  const std::string expected = std::to_string(TAPER_VERSION_MAJOR) + "." +
                               std::to_string(TAPER_VERSION_MINOR) + "." +
                               std::to_string(TAPER_VERSION_PATCH);
  EXPECT_EQ(taper::version(), expected);
}

}  // namespace
