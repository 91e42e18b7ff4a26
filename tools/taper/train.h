// Options shared by taper train and taper predict.
#pragma once
#include <string>

#include "image_set.h"

namespace taper::cli {

/// Parses channels, height and width such as "1x28x28". Throws UsageError.
training::ImageShape image_shape(const std::string& text);

}  // namespace taper::cli
