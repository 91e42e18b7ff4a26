#include "taper/autograd/saved_tensors.h"

#include <utility>

#include "core/thread_local_state.h"

namespace taper::autograd {

void SavedTensorsHooks::install(SavedHooks hooks) {
  hooks_ = std::make_shared<SavedHooks>(std::move(hooks));
  outer_ = std::exchange(tls.saved_hooks, &hooks_);
}
SavedTensorsHooks::~SavedTensorsHooks() { tls.saved_hooks = outer_; }

}  // namespace taper::autograd
