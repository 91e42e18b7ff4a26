// The training step of LeNet, which several rows measure.
#pragma once

namespace taper::bench {

/// Returns the time of a training step with batch size 64 in milliseconds.
double lenet_step();

}  // namespace taper::bench
