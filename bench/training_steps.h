// Training steps of networks that several rows measure.
#pragma once

namespace taper::bench {

/// Returns the time of a training step of LeNet with batch size 64 in milliseconds.
double lenet_step();
/// Returns the time of a training step of ResNet-18 with 8 images of 224 x 224 in milliseconds.
double resnet18_step();

}  // namespace taper::bench
