// The demo's data, prepared as for the PyTorch baseline.
#include "digits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/error_text.h"
#include "support/gzip_file.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper_paths.h"

namespace demo {
namespace {

using taper::test::error_text, taper::test::TempDir;

using taper::Shape;

TEST(Digits, ArePreparedAsInBaseline) {
  const Digits digits = load_digits(TAPER_DATA "/digits");
  EXPECT_EQ(digits.images.shape(), Shape({1797, 1, 28, 28}));
  EXPECT_EQ(digits.labels.dtype(), taper::DType::i64);
  EXPECT_EQ(digits.test_count(), 360);
  std::ifstream file(TAPER_TEST_DATA "/lenet_losses.json");
  const auto expected = nlohmann::json::parse(file).at("prepared_image").get<std::vector<float>>();
  const taper::Tensor last = digits.images[1796].contiguous();
  const auto found = last.data<float>();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-7);
}

TEST(Digits, AreUpsampledExactlyAtGridPoints) {
  const taper::Tensor small = taper::tensor({{{0, 16}, {8, 4}}}, {.dtype = taper::DType::u8});
  const taper::Tensor large = resize_to_input(small, 4);
  const auto v = large.data<float>();
  EXPECT_EQ(v[0], 0.0f);
  EXPECT_EQ(v[3], 1.0f);
  EXPECT_EQ(v[1], 0.25f);
  EXPECT_EQ(v[12], 0.5f);
  EXPECT_EQ(v[15], 0.25f);
  EXPECT_EQ(v[5], 0.296875f);  // 9/16 * 0 + 3/16 * 1 + 3/16 * 0.5 + 1/16 * 0.25
}

class DamagedDigits : public testing::Test {
 protected:
  DamagedDigits() {
    std::filesystem::copy(TAPER_DATA "/digits", folder_,
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }
  void write(const std::string& name, const std::string& bytes) const {
    taper::test::write_gzip(dir_ / name, bytes);
  }
  TempDir dir_;
  const std::string& folder_ = dir_.path();
};

TEST_F(DamagedDigits, AreRejected) {
  using namespace std::string_literals;
  const std::string labels = "digits-labels.idx1-ubyte.gz";
  write(labels, "\0\0\x08\1\0\0\0\2\1\2"s);
  EXPECT_THROW(load_digits(folder_), taper::ValueError);
  write(labels, "\0\0\x08\1\0\0\7\5"s + std::string(1797, '\x0a'));
  EXPECT_EQ(error_text<taper::ValueError>([&] { load_digits(folder_); }),
            "digits: expected labels 0 to 9, got 10");
  std::filesystem::resize_file(folder_ + "/digits-images.idx3-ubyte.gz", 1000);
  EXPECT_THROW(load_digits(folder_), taper::IoError);
  std::filesystem::remove(folder_ + "/digits-images.idx3-ubyte.gz");
  EXPECT_THROW(load_digits(folder_), taper::IoError);
}

}  // namespace
}  // namespace demo
