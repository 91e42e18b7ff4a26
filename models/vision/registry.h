// Registration of the image classifiers for nn::make.
#pragma once

namespace vision {

/// Registers the constructors of this folder with `nn::make` under torchvision's names ("resnet18",
/// "vit_b_16", ...) and arguments, as well as the classes ResNet, DenseNet and VisionTransformer.
/// `norm_layer` is the name of a class, or a dict of "class" and its further arguments "args".
/// Further calls have no effect.
///
///   vision::register_models();
///   auto net = nn::make("resnet18", {}, Value::dict({{"num_classes", 10}}));
void register_models();

}  // namespace vision
