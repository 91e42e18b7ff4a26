// What train and predict share.
#pragma once
#include <string>

#include "image_set.h"

namespace taper::cli {

/// "1x28x28" as channels, height and width. Throws UsageError.
training::ImageShape image_shape(const std::string& text);

}  // namespace taper::cli
