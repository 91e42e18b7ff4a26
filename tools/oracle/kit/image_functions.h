// Functions and classes of data::transforms by name.
#pragma once
#include "kit/arguments.h"
#include "taper/data/transforms/mix.h"
#include "taper/data/transforms/transform.h"

namespace taper::oracle {

/// Calls the function with this name: a tensor, or a list of tensors. Throws Unsupported for an
/// unknown name.
Value call_image_function(const std::string& name, const Tensor& image, KitArguments& arguments);

/// Creates the transform that `spec` describes. Throws the errors of its constructor, and
/// Unsupported for an unknown class.
data::transforms::AnyTransform make_transform(Case& c, const Json& spec);
/// As make_transform, for MixUp and CutMix; null for another class.
std::unique_ptr<data::transforms::MixTransform> make_mix(Case& c, const Json& spec);

}  // namespace taper::oracle
