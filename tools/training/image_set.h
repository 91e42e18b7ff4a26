// A user's own images with labels: idx files, or folders by class.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "run.h"

namespace training {

/// What a network takes: channels (1 or 3), height, width.
struct ImageShape {
  int channels = 1;
  std::int64_t height = 28, width = 28;
};

struct ImageSet {
  Examples examples{};
  std::vector<std::string> classes{};  ///< names by label: folders, or "0", "1", ...
  std::string about{};                 ///< "idx files", "folders by class": what was found
};

/// Reads a folder that holds one of
/// - idx files: images of rank 3 and labels of rank 1, plain or .gz, named as MNIST's
///   (train-images-idx3-ubyte, t10k-labels-idx1-ubyte) or with any other word before `-images`;
/// - train/CLASS/IMAGE and test/CLASS/IMAGE;
/// - CLASS/IMAGE, where every image is a PNG, PGM or PPM.
/// Where there is no part for testing, `test_share` of the images is: the last of idx files, and
/// evenly spread ones of each class. Pixels are divided by the greatest value of the idx files (255
/// of images) and resized. Throws taper::Error that names the file.
ImageSet read_image_set(const std::string& folder, const ImageShape& shape, double test_share);

/// Images to be told apart: those of an idx file, or the one of an image file; f32 (N, C, H, W).
taper::Tensor read_images(const std::string& path, const ImageShape& shape);

}  // namespace training
