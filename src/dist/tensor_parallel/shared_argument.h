// SharedArgument: one conversion of an argument for several layers.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/shared_function.h"
#include "taper/core/tensor.h"
#include "taper/dist/placement.h"

namespace taper::distributed {

/// Argument that layers of one parent have in common, such as the projections of an attention.
/// During a call of the parent, layers that receive the same tensor share its conversion, so that
/// their gradients are added on each rank before they are summed over ranks, once.
class SharedArgument {
 public:
  void start_call() { is_active_ = true; }
  void finish_call() { *this = {}; }
  /// Returns `convert()`, or its previous result for the same tensor and layout.
  Tensor get(const Tensor& x, const Placement& layout, const SharedFunction<Tensor()>& convert);

 private:
  struct Conversion {
    Tensor argument;
    std::uint32_t version;  ///< of the argument, which may be modified in place
    Placement layout;
    Tensor result;
  };
  bool is_active_ = false;
  std::optional<Conversion> last_{};
};

}  // namespace taper::distributed
