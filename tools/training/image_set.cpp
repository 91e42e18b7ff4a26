#include "image_set.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "core/check.h"
#include "folder.h"
#include "image_file.h"
#include "resize.h"
#include "taper/core/factory.h"
#include "taper/data/idx.h"

namespace training {

namespace fs = std::filesystem;
using taper::DType;
using taper::Tensor;

namespace {

[[noreturn]] void reject(const std::string& path, const std::string& what) {
  taper::fail<taper::ValueError>("{}: {}", path, what);
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Functions for image sets in IDX files.

Tensor read_idx_images(const std::string& path) {
  Tensor images = taper::data::read_idx(path);
  if (images.dim() != 3 || images.dtype() != DType::u8 || images.numel() == 0)
    reject(path, "expected u8 images of rank 3, got " + std::string(name_of(images.dtype())) + " " +
                     images.shape().str());
  return images;
}

int max_pixel(const Tensor& images) {
  const auto pixels = images.data<std::uint8_t>();
  return std::max<int>(1, *std::max_element(pixels.begin(), pixels.end()));
}

/// Returns images (N, h, w) of values 0 to `max_value`, resized and scaled to the input of the
/// network.
Tensor resize_and_expand(const Tensor& images, int max_value, const ImageShape& shape) {
  const Tensor gray = resize_images(images.unsqueeze(1), max_value, shape.height, shape.width);
  return shape.channels == 1
             ? gray
             : gray.expand({gray.size(0), shape.channels, shape.height, shape.width}).contiguous();
}

struct IdxPair {
  std::string images, labels;
};

/// Returns the pairs of files by the word before `-images`: "train", "t10k", "digits".
std::map<std::string, IdxPair> idx_pairs(const std::string& folder) {
  std::map<std::string, IdxPair> pairs;
  for (const std::string& name : list_folder(folder)) {
    if (name.find("idx") == std::string::npos) continue;
    for (const auto& [word, part] :
         {std::pair("-images", &IdxPair::images), std::pair("-labels", &IdxPair::labels)})
      if (const std::size_t at = name.find(word); at != std::string::npos) {
        std::string& file = pairs[name.substr(0, at)].*part;
        if (file.empty()) file = folder + "/" + name;  // a file sorts before its compressed form
      }
  }
  std::erase_if(pairs,
                [](const auto& p) { return p.second.images.empty() || p.second.labels.empty(); });
  return pairs;
}

Tensor read_idx_labels(const std::string& path, const Tensor& images) {
  const Tensor labels = taper::data::read_idx(path);
  if (labels.dim() != 1 || labels.dtype() != DType::u8 || labels.size(0) != images.size(0))
    reject(path, "expected a u8 label for each of the " + std::to_string(images.size(0)) +
                     " images, got " + std::string(name_of(labels.dtype())) + " " +
                     labels.shape().str());
  return labels;
}

void number_classes(ExampleSet& set) {
  std::int64_t classes = 0;
  for (const Tensor* labels : {&set.examples.train_labels, &set.examples.test_labels})
    for (const std::int64_t label : labels->data<std::int64_t>())
      classes = std::max(classes, label + 1);
  for (std::int64_t i = 0; i < classes; ++i) set.classes.push_back(std::to_string(i));
}

ExampleSet read_idx_set(const std::map<std::string, IdxPair>& pairs, const std::string& folder,
                        const ImageShape& shape, double test_share) {
  const auto find = [&](const char* word) {
    const auto found = pairs.find(word);
    return found == pairs.end() ? nullptr : &found->second;
  };
  const IdxPair* const train = find("train") ? find("train") : &pairs.begin()->second;
  const IdxPair* const test = find("t10k") ? find("t10k") : find("test");
  if (!find("train") && pairs.size() > 1)
    reject(folder,
           "ambiguous training data: several pairs of idx files, none named train-images...");
  ExampleSet set;
  set.about = "idx files";
  const Tensor images = read_idx_images(train->images);
  const Tensor labels = read_idx_labels(train->labels, images).to(DType::i64);
  set.pixel_max = max_pixel(images);
  Examples& e = set.examples;
  if (test && test != train) {
    const Tensor test_pixels = read_idx_images(test->images);
    e.train_images = resize_and_expand(images, set.pixel_max, shape), e.train_labels = labels;
    e.test_images = resize_and_expand(test_pixels, set.pixel_max, shape);
    e.test_labels = read_idx_labels(test->labels, test_pixels).to(DType::i64);
  } else {
    const std::int64_t count = images.size(0);
    const auto kept = static_cast<std::int64_t>(static_cast<double>(count) * (1 - test_share));
    if (kept < 1 || kept >= count) reject(folder, "too few images to split off a test set");
    const Tensor all = resize_and_expand(images, set.pixel_max, shape);
    e.train_images = all.narrow(0, 0, kept),
    e.train_labels = labels.narrow(0, 0, kept).contiguous();
    e.test_images = all.narrow(0, kept, count - kept);
    e.test_labels = labels.narrow(0, kept, count - kept).contiguous();
  }
  number_classes(set);
  return set;
}

// Functions for image sets with one directory per class.

struct LabeledImage {
  std::string file;
  std::int64_t label;
};

std::vector<std::string> list_classes(const std::string& folder) {
  std::vector<std::string> classes;
  for (const std::string& name : list_folder(folder))
    if (name[0] != '.' && is_folder(folder + "/" + name)) classes.push_back(name);
  return classes;
}

std::vector<LabeledImage> list_images(const std::string& folder,
                                      const std::vector<std::string>& classes) {
  std::vector<LabeledImage> found;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::string class_folder = folder + "/" + classes[i];
    if (!is_folder(class_folder)) continue;
    for (const std::string& name : list_folder(class_folder))
      if (is_image_name(name))
        found.push_back({class_folder + "/" + name, static_cast<std::int64_t>(i)});
  }
  return found;
}

std::pair<Tensor, Tensor> read_labeled_images(const std::vector<LabeledImage>& list,
                                              const ImageShape& shape) {
  std::vector<Tensor> images;
  std::vector<std::int64_t> labels;
  for (const LabeledImage& item : list) {
    images.push_back(read_images(item.file, shape));
    labels.push_back(item.label);
  }
  return {taper::cat(images),
          taper::tensor(std::span<const std::int64_t>(labels), taper::Shape(labels.size()))};
}

ExampleSet read_folders(const std::string& folder, const ImageShape& shape, double test_share) {
  ExampleSet set;
  set.about = "folders by class";
  std::string test_folder;
  for (const char* name : {"test", "val", "valid"})
    if (test_folder.empty() && is_folder(folder + "/" + name)) test_folder = folder + "/" + name;
  const bool split = !is_folder(folder + "/train") || test_folder.empty();
  const std::string root = is_folder(folder + "/train") ? folder + "/train" : folder;
  set.classes = list_classes(root);
  // Without train/, a folder of this name is not a class.
  std::erase_if(set.classes, [&](const std::string& name) {
    return !test_folder.empty() && root + "/" + name == test_folder;
  });
  std::vector<LabeledImage> train = list_images(root, set.classes), test;
  if (!split) {
    for (const std::string& name : list_classes(test_folder))
      if (std::find(set.classes.begin(), set.classes.end(), name) == set.classes.end())
        reject(test_folder + "/" + name, "unknown class: not in the training set");
    test = list_images(test_folder, set.classes);
  } else {
    std::vector<LabeledImage> kept;
    std::map<std::int64_t, std::int64_t> seen;
    for (LabeledImage& item : train)
      (is_test_example(seen[item.label]++, test_share) ? test : kept).push_back(std::move(item));
    train = std::move(kept);
  }
  if (train.empty() || test.empty())
    reject(folder,
           "no image set found: expected idx files (train-images-idx3-ubyte, ...) or enough images "
           "as CLASS/*.jpg, *.png, *.pgm or *.ppm");
  std::tie(set.examples.train_images, set.examples.train_labels) =
      read_labeled_images(train, shape);
  std::tie(set.examples.test_images, set.examples.test_labels) = read_labeled_images(test, shape);
  return set;
}

}  // namespace

bool is_test_example(std::int64_t n, double test_share) {
  const auto count_before = [&](std::int64_t i) {
    return std::floor(static_cast<double>(i) * test_share);
  };
  return count_before(n + 1) > count_before(n);
}

ExampleSet read_image_set(const std::string& folder, const ImageShape& shape, double test_share) {
  const auto pairs = idx_pairs(folder);
  return pairs.empty() ? read_folders(folder, shape, test_share)
                       : read_idx_set(pairs, folder, shape, test_share);
}

Tensor read_images(const std::string& path, const ImageShape& shape, std::optional<int> pixel_max) {
  if (!is_image_name(path) && fs::path(path).filename().string().find("idx") != std::string::npos) {
    const Tensor images = read_idx_images(path);
    return resize_and_expand(images, pixel_max.value_or(max_pixel(images)), shape);
  }
  const Tensor image = read_image(path, shape.channels).unsqueeze(0);
  return resize_images(image, ExampleSet{}.pixel_max, shape.height, shape.width);
}

}  // namespace training
