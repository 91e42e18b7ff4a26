// ImageFolder: order of the samples, options, errors, and loading by several threads.
#include "taper/data/image_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/png_file.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"
#include "taper/data/image.h"
#include "taper/data/transforms/geometry.h"

namespace taper {
namespace {

using test::contains, test::error_text;

class Folder : public testing::Test {
 protected:
  /// Writes a PGM file of one pixel.
  void add(const std::string& name, int value) const {
    std::filesystem::create_directories(std::filesystem::path(dir_ / name).parent_path());
    test::write_bytes(dir_ / name, "P5 1 1 255\n" + std::string(1, static_cast<char>(value)));
  }
  /// Returns the names of the samples, relative to the directory.
  std::vector<std::string> names(const data::ImageFolder& set) const {
    std::vector<std::string> names;
    for (const auto& sample : set.samples()) names.push_back(sample.first.substr(root_.size() + 1));
    return names;
  }
  test::TempDir dir_;
  const std::string& root_ = dir_.path();
};

TEST_F(Folder, SortsClassesDirectoriesAndNames) {
  for (const char* name :
       {"b/2.pgm", "b/10.pgm", "a/z.pgm", "a/x/y.pgm", "a/x-1/y.pgm", "a/x/z/y.pgm", "a/B.PGM"})
    add(name, 1);
  test::write_bytes(dir_ / "a/notes.txt", "no image");
  test::write_bytes(dir_ / "readme.pgm", "not in a class");
  const data::ImageFolder set(root_);
  EXPECT_EQ(set.classes(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(set.class_to_idx(), (std::map<std::string, std::int64_t>{{"a", 0}, {"b", 1}}));
  // As sorted(os.walk()) of Python: '-' precedes '/'.
  EXPECT_EQ(names(set), (std::vector<std::string>{"a/B.PGM", "a/z.pgm", "a/x/y.pgm", "a/x-1/y.pgm",
                                                  "a/x/z/y.pgm", "b/10.pgm", "b/2.pgm"}));
  EXPECT_EQ(set.targets(), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(set.size(), 7);
  EXPECT_EQ(names(data::ImageFolder(root_ + "/")), names(set));
}

TEST_F(Folder, ReturnsImageAndClassIndex) {
  add("a/1.pgm", 7);
  add("b/1.pgm", 9);
  const data::ImageFolder set(root_);
  EXPECT_TRUE(set.get(0).first.equal(full({3, 1, 1}, 7, {.dtype = DType::u8})));
  EXPECT_EQ(set.get(-1).second, 1);
  EXPECT_THROW(set.get(2), IndexError);
}

TEST_F(Folder, AppliesTransforms) {
  add("a/1.pgm", 7);
  const data::ImageFolder set(root_,
                              {.transform = data::transforms::Resize({2, 2}),
                               .target_transform = [](std::int64_t target) { return target + 5; },
                               .loader =
                                   [](const std::string& path) {
                                     return data::read_image(path, data::ImageReadMode::gray);
                                   }});
  EXPECT_TRUE(set.get(0).first.equal(full({1, 2, 2}, 7, {.dtype = DType::u8})));
  EXPECT_EQ(set.get(0).second, 5);
}

TEST_F(Folder, SelectsFiles) {
  add("a/1.pgm", 1);
  add("a/2.data", 2);
  const data::ImageFolder set(
      root_, {.is_valid_file = [](const std::string& path) { return path.ends_with(".data"); }});
  EXPECT_EQ(names(set), (std::vector<std::string>{"a/2.data"}));
}

TEST_F(Folder, RejectsMissingFiles) {
  const std::string none = dir_ / "none";
  EXPECT_EQ(error_text<IoError>([&] { data::ImageFolder{none}; }),
            "ImageFolder: " + none + ": No such file or directory");
  EXPECT_EQ(error_text<IoError>([&] { data::ImageFolder{root_}; }),
            "ImageFolder: " + root_ + ": couldn't find any class folder");
  add("a/1.pgm", 1);
  std::filesystem::create_directory(dir_ / "b");
  std::filesystem::create_directory(dir_ / "c");
  EXPECT_EQ(error_text<IoError>([&] { data::ImageFolder{root_}; }),
            "ImageFolder: " + root_ +
                ": found no valid file for the classes b, c; supported extensions are: .jpg, "
                ".jpeg, .png, .ppm, .bmp, .pgm, .tif, .tiff, .webp");
  EXPECT_EQ(data::ImageFolder(root_, {.allow_empty = true}).size(), 1);
}

TEST_F(Folder, NamesUnreadableImages) {
  add("a/1.pgm", 1);
  test::write_bytes(dir_ / "a/2.png", "damaged");
  const data::ImageFolder set(root_);
  EXPECT_TRUE(contains(error_text<IoError>([&] { set.get(1); }), dir_ / "a/2.png"));
}

TEST_F(Folder, NamesIndexAndPathOfRemovedFiles) {
  for (const char* name : {"a/1.pgm", "a/2.pgm", "a/3.pgm"}) add(name, 1);
  for (const int workers : {0, 2}) {
    data::DataLoader loader(data::ImageFolder(root_), {.batch_size = 2, .num_workers = workers});
    std::filesystem::rename(dir_ / "a/2.pgm", dir_ / "removed");
    EXPECT_EQ(
        error_text<IoError>([&] {
          for (const auto& batch : loader) static_cast<void>(batch);
          return 0;
        }),
        "DataLoader: example 1: read_image: " + (dir_ / "a/2.pgm") + ": No such file or directory");
    std::filesystem::rename(dir_ / "removed", dir_ / "a/2.pgm");
  }
}

TEST_F(Folder, AppliesExifOrientationIfRequested) {
  std::filesystem::create_directories(dir_ / "a");
  // Two rows of one pixel: 10 above 20. Orientation 3 rotates by 180 degrees.
  test::write_bytes(
      dir_ / "a/1.png",
      test::png_file({1, 2, 8, test::PngColor::gray, "\x0a\x14", {{"eXIf", test::exif_data(3)}}}));
  const auto first = [&](const data::ImageFolderOptions& options) {
    return data::ImageFolder(root_, options).get(0).first[0][0][0].item<int>();
  };
  EXPECT_EQ(first({}), 10);
  EXPECT_EQ(first({.apply_exif_orientation = true}), 20);
}

TEST_F(Folder, FollowsLinks) {
  add("other/1.pgm", 3);
  std::filesystem::create_directories(dir_ / "set/a");
  std::filesystem::create_directory_symlink(dir_ / "other", dir_ / "set/a/link");
  EXPECT_EQ(data::ImageFolder(dir_ / "set").get(0).first[0].item<int>(), 3);
  std::filesystem::create_directory_symlink(dir_ / "set/a", dir_ / "set/a/loop");
  EXPECT_TRUE(contains(error_text<IoError>([&] { data::ImageFolder{dir_ / "set"}; }),
                       "set/a/loop: symbolic link to a directory that contains it"));
}

TEST_F(Folder, IsLoadedByWorkers) {
  for (int i = 0; i < 40; ++i) {
    const std::string name = (i % 2 ? "a/" : "b/") + std::to_string(100 + i) + ".png";
    std::filesystem::create_directories(std::filesystem::path(dir_ / name).parent_path());
    data::write_png(full({3, 4, 4}, i, {.dtype = DType::u8}), dir_ / name);
  }
  const data::ImageFolder set(root_);
  std::int64_t count = 0;
  for (const auto& [images, targets] : data::DataLoader(set, {.batch_size = 8, .num_workers = 4})) {
    EXPECT_EQ(images.shape(), Shape({8, 3, 4, 4}));
    for (std::int64_t i = 0; i < 8; ++i, ++count) {
      const std::string& path = set.samples().at(static_cast<std::size_t>(count)).first;
      EXPECT_EQ(images[i][2][3][3].item<int>() + 100, std::stoi(path.substr(path.size() - 7)));
      EXPECT_EQ(targets[i].item<int>(), set.targets().at(static_cast<std::size_t>(count)));
    }
  }
  EXPECT_EQ(count, 40);
}

}  // namespace
}  // namespace taper
