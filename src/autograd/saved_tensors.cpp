#include "taper/autograd/saved_tensors.h"

#include <utility>

#include "core/ambient.h"

namespace taper::autograd {

void SavedTensorsHooks::install(SavedHooks hooks) {
  hooks_ = std::make_shared<SavedHooks>(std::move(hooks));
  outer_ = std::exchange(ambient.saved_hooks, &hooks_);
}
SavedTensorsHooks::~SavedTensorsHooks() { ambient.saved_hooks = outer_; }

}  // namespace taper::autograd
