// TextLines, TextLineStream, read_cifar10, read_cifar100 and TensorFiles.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/cifar.h"
#include "taper/data/data_loader.h"
#include "taper/data/tensor_files.h"
#include "taper/data/text_lines.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using test::error_text, test::TempDir, test::write_bytes;
using Strings = std::vector<std::string>;

Strings lines_of(const data::TextLines& lines) {
  Strings all;
  for (std::int64_t i = 0; i < lines.size(); ++i) all.push_back(lines.get(i));
  return all;
}

TEST(TextLines, SplitsLines) {
  const TempDir dir;
  write_bytes(dir / "a", "one\r\n\ntwo");
  write_bytes(dir / "b", "three\n");
  write_bytes(dir / "empty", "");
  const Strings paths{dir / "a", dir / "empty", dir / "b"};
  const data::TextLines lines(paths);
  EXPECT_EQ(lines_of(lines), (Strings{"one", "", "two", "three"}));
  EXPECT_EQ(lines.get(-1), "three");
  EXPECT_THROW(lines.get(4), IndexError);
  EXPECT_THROW(data::TextLines(dir / "absent"), IoError);
}

TEST(TextLineStream, ReturnsTheLinesOfTextLines) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 30'000; ++i)
    text += std::string(static_cast<std::size_t>(i % 7), 'x') + "\r\n";
  write_bytes(dir / "a", text + std::string(200'000, 'y'));
  const Strings expected = lines_of(data::TextLines(dir / "a"));
  Strings streamed;
  const auto next = data::TextLineStream(dir / "a").iterate();
  while (auto line = next()) streamed.push_back(*line);
  EXPECT_EQ(streamed, expected);
  data::DataLoader loader(data::TextLineStream(dir / "a"),
                          {.batch_size = std::nullopt, .num_workers = 3}, data::DefaultConvert());
  Strings loaded;
  for (const std::string& line : loader) loaded.push_back(line);
  EXPECT_EQ(loaded, expected);
}

std::string cifar_record(const std::string& labels, char pixel) {
  return labels + std::string(3 * 32 * 32, pixel);
}

TEST(Cifar, ReadsFoldersAndFiles) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "cifar-10-batches-bin");
  for (char i = 1; i <= 5; ++i)
    write_bytes(dir / ("cifar-10-batches-bin/data_batch_" + std::to_string(i) + ".bin"),
                cifar_record(std::string(1, i), static_cast<char>(10 * i)));
  const data::CifarImages train = data::read_cifar10(dir.path());
  EXPECT_TRUE(equal(train.labels, tensor({1, 2, 3, 4, 5})));
  EXPECT_EQ(train.images.shape(), Shape({5, 3, 32, 32}));
  EXPECT_EQ(train.images[4][2][31][31].item<int>(), 50);
  EXPECT_FALSE(train.coarse_labels.defined());
  EXPECT_THROW(data::read_cifar10(dir.path(), false), IoError);

  write_bytes(dir / "test.bin", cifar_record("\x13\x63", 1) + cifar_record("\x01\x02", 2));
  const data::CifarImages test = data::read_cifar100(dir.path(), false);
  EXPECT_TRUE(equal(test.labels, tensor({99, 2})));
  EXPECT_TRUE(equal(test.coarse_labels, tensor({19, 1})));
}

TEST(Cifar, RejectsInvalidFiles) {
  const TempDir dir;
  const std::string path = dir / "x.bin";
  write_bytes(path, cifar_record("\x0a", 0));
  EXPECT_EQ(
      error_text<IoError>([&] { data::read_cifar10(path); }),
      "read_cifar10: " + path + ": label 10 of image 0 is out of range, expected less than 10");
  write_bytes(path, "abc");
  EXPECT_EQ(error_text<IoError>([&] { data::read_cifar10(path); }),
            "read_cifar10: " + path + ": got 3 bytes, expected a multiple of 3073");
}

TEST(TensorFiles, ReadsRowsOfSeveralFiles) {
  const TempDir dir;
  const Tensor x = arange(12).to(float32).reshape({6, 2}), y = arange(6);
  const auto write = [&](const char* name, std::int64_t from, std::int64_t count) {
    save(Value::dict({{"x", x.narrow(0, from, count).contiguous()},
                      {"y", y.narrow(0, from, count).contiguous()}}),
         dir / name, {.format = FileFormat::safetensors});
    return dir / name;
  };
  const Strings paths{write("a.safetensors", 0, 4), write("b.safetensors", 4, 2)};
  const data::TensorFiles rows(paths);
  EXPECT_EQ(rows.size(), 6);
  EXPECT_EQ(rows.keys(), (Strings{"y", "x"}));  // the order of the data, by decreasing alignment
  EXPECT_TRUE(equal(rows.get(-1)["x"].as_tensor(), x[5]));
  const std::vector<std::int64_t> indices{5, 0, 4, 3};
  const Value batch = rows.get_batch(indices);
  EXPECT_TRUE(equal(batch["x"].as_tensor(), x.index_select(0, tensor(indices))));
  EXPECT_TRUE(equal(batch["y"].as_tensor(), tensor(indices)));
  EXPECT_EQ(data::TensorFiles(paths, {.keys = {"y"}, .mmap = false}).get(0).size(), 1u);
  EXPECT_THROW(data::TensorFiles(paths, {.keys = {"z"}}), KeyError);
  save(Value::dict({{"x", ones({2, 3})}, {"y", ones({2})}}), dir / "c.safetensors",
       {.format = FileFormat::safetensors});
  EXPECT_THROW(data::TensorFiles(Strings{paths[0], dir / "c.safetensors"}), ValueError);
  save(Value::dict({{"x", ones({2, 3})}, {"y", ones({3})}}), dir / "d.safetensors",
       {.format = FileFormat::safetensors});
  EXPECT_EQ(error_text<ValueError>([&] { data::TensorFiles(dir / "d.safetensors"); }),
            "TensorFiles: " + (dir / "d.safetensors") + ": 'y' has 3 rows, but 'x' has 2");
  save(ones({2, 3}), dir / "e.pt");
  EXPECT_EQ(error_text<IoError>([&] {
              data::TensorFiles(Strings{dir / "e.pt", paths[0]});
            }),
            "TensorFiles: " + paths[0] + ": got a dict, expected a tensor as in the first file");
}

}  // namespace
}  // namespace taper
