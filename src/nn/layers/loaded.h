// Values that a lazy layer was given before its first call.
#pragma once
#include <utility>
#include <vector>

#include "taper/nn/module_base.h"

namespace taper::nn {

/// Keeps the tensors that have a shape through a reset of all.
class Loaded {
 public:
  explicit Loaded(Module& layer);
  void restore() const;

 private:
  std::vector<std::pair<Tensor, Tensor>> values_;
};

}  // namespace taper::nn
