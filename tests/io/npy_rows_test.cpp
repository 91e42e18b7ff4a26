// TensorFiles on NumPy's files: .npy, and .npz with stored and with compressed arrays.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <numeric>
#include <thread>

#include "assemble.h"
#include "assemble_zip.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"
#include "taper/data/tensor_files.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using test::error_text, test::le, test::TempDir, test::write_bytes;
using Strings = std::vector<std::string>;

/// Returns an array of i32 values `first`, `first` + 1, ... of shape (rows, columns).
std::string npy_of(int first, int rows, int columns) {
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  header.resize(117, ' ');  // the elements start at a multiple of 64 bytes, as NumPy writes them
  header += '\n';
  std::string file = std::string("\x93NUMPY\1\0", 8) + le(header.size(), 2) + header;
  for (int i = 0; i < rows * columns; ++i) file += le(static_cast<std::uint64_t>(first + i), 4);
  return file;
}

TEST(TensorFiles, ReadsRowsOfNpyFiles) {
  const TempDir dir;
  write_bytes(dir / "a.npy", npy_of(0, 3, 2));
  write_bytes(dir / "b.npy", npy_of(6, 2, 2));
  const Strings paths{dir / "a.npy", dir / "b.npy"};
  for (const bool mmap : {true, false}) {
    const data::TensorFiles rows(paths, {.mmap = mmap});
    EXPECT_EQ(rows.size(), 5);
    EXPECT_TRUE(rows.keys().empty());
    EXPECT_EQ(rows.get(3).as_tensor().str(), "tensor([6, 7], dtype=torch.int32)");
    const std::vector<std::int64_t> indices{4, 0};
    EXPECT_EQ(rows.get_batch(indices).as_tensor().str(),
              "tensor([[8, 9],\n        [0, 1]], dtype=torch.int32)");
  }
  std::int64_t first = 0;
  data::DataLoader loader(data::TensorFiles(paths), {.batch_size = 2, .num_workers = 2});
  for (const Value& batch : loader) {
    EXPECT_EQ(batch.as_tensor()[0][0].item<std::int64_t>(), 2 * first);
    first += batch.as_tensor().size(0);
  }
  EXPECT_EQ(first, 5);
}

TEST(TensorFiles, ReadsRowsOfNpzFiles) {
  const TempDir dir;
  for (const bool deflated : {false, true}) {
    const std::string path = dir / (deflated ? "deflated.npz" : "stored.npz");
    write_bytes(path, test::zip_of({{"x.npy", npy_of(0, 3, 2), deflated},
                                    {"y.npy", npy_of(100, 3, 1), deflated}}));
    const data::TensorFiles rows(path);
    EXPECT_EQ(rows.keys(), (Strings{"x", "y"}));
    EXPECT_EQ(rows.get(2)["x"].as_tensor().str(), "tensor([4, 5], dtype=torch.int32)");
    EXPECT_EQ(rows.get(-1)["y"].as_tensor().str(), "tensor([102], dtype=torch.int32)");
    const std::vector<std::int64_t> indices{2, 0};
    EXPECT_EQ(rows.get_batch(indices)["y"].as_tensor().str(),
              "tensor([[102],\n        [100]], dtype=torch.int32)");
    EXPECT_EQ(data::TensorFiles(path, {.keys = {"y"}}).keys(), Strings{"y"});
    EXPECT_THROW(data::TensorFiles(path, {.keys = {"z"}}), KeyError);
  }
}

TEST(TensorFiles, IgnoresTheFileAfterReadingIt) {
  const TempDir dir;
  const std::string deflated = dir / "deflated.npz", read = dir / "read.npy";
  write_bytes(deflated, test::zip_of({{"x.npy", npy_of(0, 3, 2), /*deflated=*/true}}));
  write_bytes(read, npy_of(0, 3, 2));
  const data::TensorFiles compressed(deflated), not_mapped(read, {.mmap = false});
  std::filesystem::resize_file(deflated, 10);
  std::filesystem::resize_file(read, 10);
  EXPECT_EQ(compressed.get(2)["x"].as_tensor()[1].item<int>(), 5);
  EXPECT_EQ(not_mapped.get(2).as_tensor()[1].item<int>(), 5);
}

TEST(TensorFiles, ReportsTruncatedFiles) {
  const TempDir dir;
  const std::string a = dir / "a.npy", b = dir / "b.npy";
  write_bytes(a, npy_of(0, 3, 2));
  write_bytes(b, npy_of(6, 4096, 2));
  const Strings paths{a, b};
  data::DataLoader loader(data::TensorFiles(paths), {.batch_size = 2});
  const data::TensorFiles& rows = loader.dataset();
  const auto size = std::filesystem::file_size(b);
  std::filesystem::resize_file(b, 100);
  const auto text = [&](const std::string& example) {
    return "TensorFiles: '" + b + "': example " + example + ": the file shrank from " +
           std::to_string(size) + " to 100 bytes";
  };
  EXPECT_EQ(error_text<IoError>([&] { return rows.get(4000); }), text("4000"));
  EXPECT_EQ(error_text<IoError>([&] { return rows.get(-1); }), text("-1"));
  EXPECT_EQ(rows.get(2).as_tensor()[1].item<int>(), 5) << "of the other file";
  const std::vector<std::int64_t> indices{0, 4000};
  EXPECT_EQ(error_text<IoError>([&] { return rows.get_batch(indices); }), text("4000"));
  EXPECT_EQ(error_text<IoError>([&] {
              for (const Value& batch : loader) static_cast<void>(batch);
              return 0;
            }),
            "DataLoader: examples 2, 3: " + text("3"));
  std::filesystem::resize_file(b, size);
  EXPECT_NO_THROW(rows.get(4000));
}

TEST(TensorFiles, ReturnsRowsThatOutliveTheFile) {
  const TempDir dir;
  const std::string path = dir / "a.npy";
  write_bytes(path, npy_of(0, 4096, 2));
  const data::TensorFiles rows(path);
  const Tensor row = rows.get(4000).as_tensor();
  std::filesystem::resize_file(path, 100);
  EXPECT_EQ(row[1].item<int>(), 8001);
}

TEST(TensorFiles, ReadsWhileTheFileIsTruncatedAndExtended) {
  const TempDir dir;
  const std::string path = dir / "a.npy";
  write_bytes(path, npy_of(0, 4096, 2));
  const auto size = std::filesystem::file_size(path);
  const data::TensorFiles rows(path);
  std::vector<std::int64_t> all(4096);
  std::iota(all.begin(), all.end(), 0);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    while (!done) {
      std::filesystem::resize_file(path, 128);
      std::filesystem::resize_file(path, size);
    }
  });
  for (int i = 0; i < 300; ++i) {
    try {
      EXPECT_EQ(rows.get_batch(all).as_tensor().size(0), 4096);
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find("TensorFiles: '" + path + "': example "),
                std::string::npos);
    }
  }
  done = true;
  writer.join();
}

TEST(TensorFiles, IgnoresTruncationsOfFilesInFortranOrder) {
  const TempDir dir;
  const std::string path = dir / "a.npy";
  std::string file = npy_of(0, 4096, 2);
  file.replace(file.find("False"), 5, "True ");
  write_bytes(path, file);
  const data::TensorFiles rows(path);
  std::filesystem::resize_file(path, 128);
  EXPECT_EQ(rows.get(2).as_tensor().str(), "tensor([   2, 4098], dtype=torch.int32)");
  const std::vector<std::int64_t> indices{4095, 0};
  EXPECT_EQ(rows.get_batch(indices).as_tensor()[0][1].item<int>(), 8191);
}

TEST(TensorFiles, ReadsFilesInFortranOrderWhileTheyAreTruncatedAndExtended) {
  const TempDir dir;
  const std::string path = dir / "a.npy";
  std::string file = npy_of(0, 4096, 2);
  file.replace(file.find("False"), 5, "True ");
  write_bytes(path, file);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    while (!done) {
      std::filesystem::resize_file(path, 128);
      std::filesystem::resize_file(path, file.size());
    }
  });
  for (int i = 0; i < 300; ++i) {
    try {
      EXPECT_EQ(data::TensorFiles(path).size(), 4096);
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
  done = true;
  writer.join();
}

TEST(TensorFiles, ReadsTransposedTensorsOfCheckpoints) {
  const TempDir dir;
  const Tensor x = arange(24).reshape({4, 3, 2});
  const std::string path = dir / "a.pt";
  save(Value::dict({{"x", x.permute({2, 0, 1})}, {"y", x.narrow(1, 1, 2).narrow(0, 1, 2)}}), path);
  const data::TensorFiles rows(path);
  std::filesystem::resize_file(path, 100);
  EXPECT_TRUE(equal(rows.get(1)["x"].as_tensor(), x.permute({2, 0, 1})[1]));
  EXPECT_TRUE(equal(rows.get(1)["y"].as_tensor(), x.narrow(1, 1, 2)[2]));
}

TEST(TensorFiles, AcceptsAnEmptyBatch) {
  const TempDir dir;
  write_bytes(dir / "a.npy", npy_of(0, 3, 2));
  EXPECT_EQ(data::TensorFiles(dir / "a.npy").get_batch({}).as_tensor().shape(), Shape({0, 2}));
}

TEST(TensorFiles, AcceptsReplacedFiles) {
  const TempDir dir;
  const std::string path = dir / "a.npy";
  write_bytes(path, npy_of(0, 3, 2));
  const data::TensorFiles rows(path);
  write_bytes(dir / "b.npy", "short");
  std::filesystem::rename(dir / "b.npy", path);
  EXPECT_EQ(rows.get(2).as_tensor()[1].item<int>(), 5);
  std::filesystem::remove(path);
  EXPECT_EQ(rows.get(2).as_tensor()[1].item<int>(), 5);
}

}  // namespace
}  // namespace taper
