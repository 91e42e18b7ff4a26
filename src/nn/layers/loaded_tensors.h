// LoadedTensors: values that were loaded into a lazy layer before its first call.
#pragma once
#include <utility>
#include <vector>

#include "taper/nn/module_base.h"

namespace taper::nn {

/// Saves the initialized tensors of a layer, and restores them after reset_parameters().
class LoadedTensors {
 public:
  explicit LoadedTensors(Module& layer);
  void restore() const;

 private:
  std::vector<std::pair<Tensor, Tensor>> values_;
};

}  // namespace taper::nn
