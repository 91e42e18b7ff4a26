// ImageFolder: dataset of images in one directory per class.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace data {

/// Options of ImageFolder. PyTorch: the arguments of torchvision.datasets.ImageFolder.
struct ImageFolderOptions {
  /// Applied to each image, such as a transform of data::transforms.
  SharedFunction<Tensor(const Tensor& image)> transform{};
  /// Applied to each class index.
  SharedFunction<std::int64_t(std::int64_t target)> target_transform{};
  /// Reads an image. Default: `read_image(path, ImageReadMode::rgb, apply_exif_orientation)`.
  SharedFunction<Tensor(const std::string& path)> loader{};
  /// Selects the files. Default: names that end in .jpg, .jpeg, .png, .ppm, .bmp, .pgm, .tif, .tiff
  /// or .webp, in any case.
  SharedFunction<bool(const std::string& path)> is_valid_file{};
  bool allow_empty = false;  ///< accepts classes without files
  /// Flips and rotates images as the EXIF data of their files specify; see read_image. torchvision
  /// does not, because PIL.Image.open does not. Ignored if `loader` is set.
  bool apply_exif_orientation = false;
};

/// Dataset of the images in `root/CLASS/...`, with directories at any depth below a class. Example
/// i is the image, by default a u8 tensor (3, H, W), and the index of its class. Images are read
/// when they are requested; `get` is thread-safe. PyTorch: torchvision.datasets.ImageFolder.
///
///     data::ImageFolder train("data/train", {.transform = v2::Resize({224, 224})});
///     data::DataLoader loader(train, {.batch_size = 32, .shuffle = true, .num_workers = 4});
class ImageFolder {
 public:
  /// Lists the files. Throws IoError naming the directory if it cannot be read, contains no
  /// directory, or a class has no file.
  explicit ImageFolder(std::string root, ImageFolderOptions options = {});

  /// Returns the number of images.
  std::int64_t size() const { return static_cast<std::int64_t>(samples_.size()); }
  /// Returns example i; a negative i counts from the end. Throws IndexError if i is out of range,
  /// and IoError naming the file if it cannot be read or decoded. A format that is not supported,
  /// such as BMP, TIFF and WebP, is an error, too.
  std::pair<Tensor, std::int64_t> get(std::int64_t i) const { return decode(fetch(i)); }

  /// A file before it is decoded.
  struct Encoded {
    std::string path{};
    std::int64_t target = 0;
    std::string bytes{};  ///< empty if `loader` is set, which reads the file
  };
  /// Reads file i, without decoding it.
  Encoded fetch(std::int64_t i) const;
  /// Decodes and transforms an image.
  std::pair<Tensor, std::int64_t> decode(const Encoded& encoded) const;

  const std::string& root() const { return root_; }
  /// Returns the names of the classes, sorted.
  const std::vector<std::string>& classes() const { return classes_; }
  /// Returns the indices of the classes by name.
  std::map<std::string, std::int64_t> class_to_idx() const;
  /// Returns the path and the class index of each image, sorted by class, directory and name.
  const std::vector<std::pair<std::string, std::int64_t>>& samples() const { return samples_; }
  /// Returns the class index of each image.
  std::vector<std::int64_t> targets() const;

 private:
  std::string root_;
  ImageFolderOptions options_;
  std::vector<std::string> classes_;
  std::vector<std::pair<std::string, std::int64_t>> samples_;
};

}  // namespace data
}  // namespace taper
