// Metadata of the weights that torchvision publishes for its classifiers.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace vision {

/// A file of trained weights, as described by torchvision 0.29.
struct PublishedWeights {
  std::string_view model, name;  ///< "resnet50", "IMAGENET1K_V2"
  std::int64_t num_params;
  double gflops;     ///< billions of multiply-adds for one image of input_size
  double file_size;  ///< in megabytes
  double acc1;       ///< accuracy on ImageNet-1K in percent; NaN if the weights do not classify
  std::int64_t input_size, min_size;  ///< height and width that were tested, and the smallest ones
  std::int64_t num_classes;           ///< 0 if the weights do not classify
};

/// Returns the published weights of a model; empty if there are none.
std::vector<PublishedWeights> published_weights(std::string_view model);

}  // namespace vision
