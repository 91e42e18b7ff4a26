// The examples of docs/images.md; examples/python/images.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <taper/data/data.h>
#include <taper/data/image.h>
#include <taper/data/image_folder.h>
#include <taper/data/transforms/transforms.h>
#include <taper/taper.h>

using namespace taper;
using data::ImageReadMode;
namespace v2 = data::transforms;

void write_images(const std::string& root) {
  std::int64_t offset = 0;
  for (const std::string name : {"cat", "dog"}) {
    std::filesystem::create_directories(root + "/" + name);
    for (std::int64_t i = 0; i < 3; ++i) {
      const Tensor values = arange(3 * 20 * 30).reshape({3, 20, 30}) * (i + 1) / 10;
      const Tensor image = (values.floor().to(int64) + offset) % 256;
      data::write_png(image.to(uint8), root + "/" + name + "/" + std::to_string(i) + ".png");
    }
    offset += 40;
  }
}

// Images that are read in two stages: `fetch` waits for the disk, `decode` occupies a processor.
struct ImageFiles {
  std::vector<std::string> paths;

  std::int64_t size() const { return std::ssize(paths); }
  Tensor fetch(std::int64_t i) const {
    return data::read_file(paths.at(static_cast<std::size_t>(i)));
  }
  Tensor decode(const Tensor& bytes) const {
    return data::decode_image(bytes, ImageReadMode::gray).to(float32);
  }
  Tensor get(std::int64_t i) const { return decode(fetch(i)); }
};

void print(const Tensor& image) {
  std::printf("%s %.1f\n", image.shape().str().c_str(), image.to(float32).mean().item<double>());
}

int main() {
  write_images("pictures");
  const Tensor image = data::read_image("pictures/cat/0.png");
  print(image);
  print(data::read_image("pictures/cat/0.png", ImageReadMode::gray));
  print(data::read_image("pictures/cat/0.png", ImageReadMode::rgb_alpha));

  data::write_jpeg(image, "picture.jpg", 95);
  const Tensor bytes = data::read_file("picture.jpg");
  print(data::decode_image(bytes, ImageReadMode::rgb, /*apply_exif_orientation=*/true));

  const v2::Compose to_input({v2::Resize({16, 16}), v2::ToDtype(float32, true)});
  const data::ImageFolder train("pictures", {.transform = to_input});
  for (const std::string& name : train.classes()) std::printf("%s ", name.c_str());
  std::printf("%d\n", static_cast<int>(train.size()));
  for (auto& [images, targets] : data::DataLoader(train, {.batch_size = 4})) {
    print(255 * images);
    std::printf("%s\n", targets.tolist().repr().c_str());
  }

  const ImageFiles files{{"pictures/cat/0.png", "pictures/cat/1.png", "pictures/dog/0.png"}};
  data::DataLoader loader(files, {.batch_size = 2,
                                  .prefetch_factor = 4,
                                  .stage_threads = {{.fetch = 4, .decode = 2, .collate = 1}}});
  for (const Tensor& images : loader) print(images);
  std::fprintf(stderr, "%s\n", loader.statistics().str().c_str());
}
