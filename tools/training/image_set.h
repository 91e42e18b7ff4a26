// Labeled examples of users. Images: IDX files, or directories by class.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run.h"

namespace training {

/// Input of a network: channels (1 or 3), height, width.
struct ImageShape {
  int channels = 1;
  std::int64_t height = 28, width = 28;
};

struct ExampleSet {
  Examples examples{};
  std::vector<std::string> classes{};  ///< names by label: directories, or "0", "1", ...
  std::string about{};                 ///< kind of the data found: "idx files", "folders by class"
  int pixel_max = 255;                 ///< pixels were divided by it
  /// Of a regression: labels are (number - label_mean) / label_scale.
  double label_mean = 0, label_scale = 1;
};

/// Returns true if example `n` of a class, counted from 0, is used for testing, so that a fraction
/// `test_share` of them is, evenly distributed.
bool is_test_example(std::int64_t n, double test_share);

/// Reads a directory that contains one of
/// - IDX files: images of rank 3 and labels of rank 1, uncompressed or .gz, named as MNIST's
///   (train-images-idx3-ubyte, t10k-labels-idx1-ubyte) or with another word before `-images`;
/// - train/CLASS/IMAGE and test/CLASS/IMAGE;
/// - CLASS/IMAGE, where every image is a JPEG, PNG, PBM, PGM or PPM.
/// Without a test set, a fraction `test_share` of the images is used for testing: the last images
/// of IDX files, and evenly distributed images of each class. Pixels are divided by the maximum of
/// the training images in IDX files (255 for other images) and resized. Throws taper::Error naming
/// the file.
ExampleSet read_image_set(const std::string& folder, const ImageShape& shape, double test_share);

/// Reads images to classify as f32 (N, C, H, W): those of an IDX file, or a single image file.
/// Pixels of IDX files are divided by `pixel_max`, by default their own maximum.
taper::Tensor read_images(const std::string& path, const ImageShape& shape,
                          std::optional<int> pixel_max = {});

}  // namespace training
