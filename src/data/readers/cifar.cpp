#include "taper/data/cifar.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "data/readers/input_file.h"
#include "taper/core/factory.h"

namespace taper::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kImageBytes = 3 * 32 * 32;

/// A record consists of labels of one byte each, and an image.
struct CifarFormat {
  const char* reader;
  const char* folder;
  std::vector<int> classes;  // of each label
};

std::vector<std::string> cifar_files(const CifarFormat& format, const std::string& path,
                                     const std::vector<std::string>& names) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {path};
  fs::path folder = path;
  if (!fs::exists(folder / names[0], ignored) && fs::is_directory(folder / format.folder, ignored))
    folder /= format.folder;
  std::vector<std::string> files;
  for (const std::string& name : names) files.push_back((folder / name).string());
  return files;
}

CifarImages read_cifar(const CifarFormat& format, const std::vector<std::string>& files) {
  const std::size_t label_count = format.classes.size();
  const std::size_t record = label_count + kImageBytes;
  std::vector<ByteBuffer> contents;
  std::size_t count = 0;
  for (const std::string& path : files) {
    InputFile file(format.reader, path);
    const ByteBuffer& bytes = contents.emplace_back(file.read_rest());
    if (bytes.size() == 0 || bytes.size() % record != 0)
      file.fail("got {} bytes, expected a multiple of {}", bytes.size(), record);
    for (std::size_t i = 0; i < bytes.size() / record; ++i)
      for (std::size_t k = 0; k < label_count; ++k)
        if (const auto label = static_cast<unsigned char>(bytes.data()[i * record + k]);
            label >= format.classes[k])
          file.fail("label {} of image {} is out of range, expected less than {}", label, i,
                    format.classes[k]);
    count += bytes.size() / record;
  }
  CifarImages result;
  result.images = empty({static_cast<std::int64_t>(count), 3, 32, 32}, {.dtype = DType::u8});
  std::vector<std::vector<std::int64_t>> labels(label_count);
  auto* to = reinterpret_cast<char*>(result.images.data_ptr<std::uint8_t>());
  for (const ByteBuffer& bytes : contents)
    for (const char* p = bytes.data(); p < bytes.data() + bytes.size(); p += record) {
      for (std::size_t k = 0; k < label_count; ++k)
        labels[k].push_back(static_cast<unsigned char>(p[k]));
      to = std::copy(p + label_count, p + record, to);
    }
  result.labels = tensor(labels.back());
  if (label_count > 1) result.coarse_labels = tensor(labels.front());
  return result;
}

}  // namespace

CifarImages read_cifar10(const std::string& path, bool train) {
  const CifarFormat format{"read_cifar10", "cifar-10-batches-bin", {10}};
  std::vector<std::string> names;
  for (int i = 1; train && i <= 5; ++i) names.push_back("data_batch_" + std::to_string(i) + ".bin");
  if (!train) names.push_back("test_batch.bin");
  return read_cifar(format, cifar_files(format, path, names));
}

CifarImages read_cifar100(const std::string& path, bool train) {
  const CifarFormat format{"read_cifar100", "cifar-100-binary", {20, 100}};
  return read_cifar(format, cifar_files(format, path, {train ? "train.bin" : "test.bin"}));
}

}  // namespace taper::data
