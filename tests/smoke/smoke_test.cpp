// Basic checks of a build with a second compiler, which precede the other tests.
#include <gtest/gtest.h>

#include <string>

#include "taper/core/dtype.h"
#include "taper/core/error.h"
#include "taper/version.h"

namespace {

TEST(Smoke, LibraryVersionMatchesHeaders) {
  const std::string of_headers = std::to_string(TAPER_VERSION_MAJOR) + "." +
                                 std::to_string(TAPER_VERSION_MINOR) + "." +
                                 std::to_string(TAPER_VERSION_PATCH);
  EXPECT_EQ(taper::version(), of_headers);
}

TEST(Smoke, ErrorsPreserveKind) {
  try {
    throw taper::ShapeError("add: sizes differ: got [2] expected [3]");
  } catch (const taper::Error& error) {
    EXPECT_EQ(error.kind(), taper::ErrorKind::shape);
    EXPECT_STREQ(error.what(), "add: sizes differ: got [2] expected [3]");
  }
}

TEST(Smoke, HalfPrecisionRoundsToNearest) {
  EXPECT_EQ(static_cast<float>(taper::BFloat16(1.0F + 1.0F / 512)), 1.0F);
}

}  // namespace
