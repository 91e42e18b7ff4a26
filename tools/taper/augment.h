// Augmentations of training images.
#pragma once
#include <string>

#include "run.h"
#include "taper/data/transforms/transform.h"

namespace taper::cli {

/// Returns the transform of an expression such as "RandomCrop(28, padding=4)". Throws UsageError.
taper::data::transforms::AnyTransform parse_transform(const std::string& text);
/// Makes the run apply the augmentations of its settings, in `workers` threads.
void set_augmentations(training::Run& run, int workers);

}  // namespace taper::cli
