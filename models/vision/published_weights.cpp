#include "vision/published_weights.h"

#include <limits>

namespace vision {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr PublishedWeights kAll[] = {
    {"resnet18", "IMAGENET1K_V1", 11689512, 1.814, 44.661, 69.758, 224, 1, 1000},
    {"resnet34", "IMAGENET1K_V1", 21797672, 3.664, 83.275, 73.314, 224, 1, 1000},
    {"resnet50", "IMAGENET1K_V1", 25557032, 4.089, 97.781, 76.13, 224, 1, 1000},
    {"resnet50", "IMAGENET1K_V2", 25557032, 4.089, 97.79, 80.858, 224, 1, 1000},
    {"resnet101", "IMAGENET1K_V1", 44549160, 7.801, 170.511, 77.374, 224, 1, 1000},
    {"resnet101", "IMAGENET1K_V2", 44549160, 7.801, 170.53, 81.886, 224, 1, 1000},
    {"resnet152", "IMAGENET1K_V1", 60192808, 11.514, 230.434, 78.312, 224, 1, 1000},
    {"resnet152", "IMAGENET1K_V2", 60192808, 11.514, 230.474, 82.284, 224, 1, 1000},
    {"resnext50_32x4d", "IMAGENET1K_V1", 25028904, 4.23, 95.789, 77.618, 224, 1, 1000},
    {"resnext50_32x4d", "IMAGENET1K_V2", 25028904, 4.23, 95.833, 81.198, 224, 1, 1000},
    {"resnext101_32x8d", "IMAGENET1K_V1", 88791336, 16.414, 339.586, 79.312, 224, 1, 1000},
    {"resnext101_32x8d", "IMAGENET1K_V2", 88791336, 16.414, 339.673, 82.834, 224, 1, 1000},
    {"resnext101_64x4d", "IMAGENET1K_V1", 83455272, 15.46, 319.318, 83.246, 224, 1, 1000},
    {"wide_resnet50_2", "IMAGENET1K_V1", 68883240, 11.398, 131.82, 78.468, 224, 1, 1000},
    {"wide_resnet50_2", "IMAGENET1K_V2", 68883240, 11.398, 263.124, 81.602, 224, 1, 1000},
    {"wide_resnet101_2", "IMAGENET1K_V1", 126886696, 22.753, 242.896, 78.848, 224, 1, 1000},
    {"wide_resnet101_2", "IMAGENET1K_V2", 126886696, 22.753, 484.747, 82.51, 224, 1, 1000},
    {"vgg11", "IMAGENET1K_V1", 132863336, 7.609, 506.84, 69.02, 224, 32, 1000},
    {"vgg11_bn", "IMAGENET1K_V1", 132868840, 7.609, 506.881, 70.37, 224, 32, 1000},
    {"vgg13", "IMAGENET1K_V1", 133047848, 11.308, 507.545, 69.928, 224, 32, 1000},
    {"vgg13_bn", "IMAGENET1K_V1", 133053736, 11.308, 507.59, 71.586, 224, 32, 1000},
    {"vgg16", "IMAGENET1K_V1", 138357544, 15.47, 527.796, 71.592, 224, 32, 1000},
    {"vgg16", "IMAGENET1K_FEATURES", 138357544, 15.47, 527.802, kNan, 224, 32, 0},
    {"vgg16_bn", "IMAGENET1K_V1", 138365992, 15.47, 527.866, 73.36, 224, 32, 1000},
    {"vgg19", "IMAGENET1K_V1", 143667240, 19.632, 548.051, 72.376, 224, 32, 1000},
    {"vgg19_bn", "IMAGENET1K_V1", 143678248, 19.632, 548.143, 74.218, 224, 32, 1000},
    {"densenet121", "IMAGENET1K_V1", 7978856, 2.834, 30.845, 74.434, 224, 29, 1000},
    {"densenet161", "IMAGENET1K_V1", 28681000, 7.728, 110.369, 77.138, 224, 29, 1000},
    {"densenet169", "IMAGENET1K_V1", 14149480, 3.36, 54.708, 75.6, 224, 29, 1000},
    {"densenet201", "IMAGENET1K_V1", 20013928, 4.291, 77.373, 76.896, 224, 29, 1000},
    {"mobilenet_v2", "IMAGENET1K_V1", 3504872, 0.301, 13.555, 71.878, 224, 1, 1000},
    {"mobilenet_v2", "IMAGENET1K_V2", 3504872, 0.301, 13.598, 72.154, 224, 1, 1000},
    {"mobilenet_v3_large", "IMAGENET1K_V1", 5483032, 0.217, 21.114, 74.042, 224, 1, 1000},
    {"mobilenet_v3_large", "IMAGENET1K_V2", 5483032, 0.217, 21.107, 75.274, 224, 1, 1000},
    {"mobilenet_v3_small", "IMAGENET1K_V1", 2542856, 0.057, 9.829, 67.668, 224, 1, 1000},
    {"efficientnet_b0", "IMAGENET1K_V1", 5288548, 0.386, 20.451, 77.692, 224, 1, 1000},
    {"efficientnet_b1", "IMAGENET1K_V1", 7794184, 0.687, 30.134, 78.642, 240, 1, 1000},
    {"efficientnet_b1", "IMAGENET1K_V2", 7794184, 0.687, 30.136, 79.838, 240, 1, 1000},
    {"efficientnet_b2", "IMAGENET1K_V1", 9109994, 1.088, 35.174, 80.608, 288, 1, 1000},
    {"convnext_tiny", "IMAGENET1K_V1", 28589128, 4.456, 109.119, 82.52, 224, 32, 1000},
    {"convnext_small", "IMAGENET1K_V1", 50223688, 8.684, 191.703, 83.616, 224, 32, 1000},
    {"convnext_base", "IMAGENET1K_V1", 88591464, 15.355, 338.064, 84.062, 224, 32, 1000},
    {"convnext_large", "IMAGENET1K_V1", 197767336, 34.361, 754.537, 84.414, 224, 32, 1000},
    {"vit_b_16", "IMAGENET1K_V1", 86567656, 17.564, 330.285, 81.072, 224, 224, 1000},
    {"vit_b_16", "IMAGENET1K_SWAG_E2E_V1", 86859496, 55.484, 331.398, 85.304, 384, 384, 1000},
    {"vit_b_16", "IMAGENET1K_SWAG_LINEAR_V1", 86567656, 17.564, 330.285, 81.886, 224, 224, 1000},
    {"vit_b_32", "IMAGENET1K_V1", 88224232, 4.409, 336.604, 75.912, 224, 224, 1000},
    {"vit_l_16", "IMAGENET1K_V1", 304326632, 61.555, 1161.023, 79.662, 224, 224, 1000},
    {"vit_l_16", "IMAGENET1K_SWAG_E2E_V1", 305174504, 361.986, 1164.258, 88.064, 512, 512, 1000},
    {"vit_l_16", "IMAGENET1K_SWAG_LINEAR_V1", 304326632, 61.555, 1161.023, 85.146, 224, 224, 1000},
};

}  // namespace

std::vector<PublishedWeights> published_weights(std::string_view model) {
  std::vector<PublishedWeights> found;
  for (const PublishedWeights& weights : kAll)
    if (weights.model == model) found.push_back(weights);
  return found;
}

}  // namespace vision
