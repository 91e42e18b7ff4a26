// Helpers for the source files of lazy layers.
#pragma once
#include "nn/layers/options.h"
#include "taper/nn/layer.h"

/// A lazy layer visits the members of its base layer and calls its forward.
#define TAPER_LAZY_LAYER(Name, Base) \
  TAPER_DETAIL_LAYER_CALLS(Name)     \
  TAPER_DETAIL_LAYER_CLASS(Name) { Base::visit_members(visitor); }

namespace taper::nn {

template <class Norm>
constexpr ModuleSchema lazy_norm_schema(std::string_view name, std::string_view file) {
  return layer_schema<Norm>(
      name, file,
      "eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, "
      "bias=True",
      [](const Arguments& a) { return Norm(norm_options(a)); },
      [](const Norm& m) { return norm_values(m, {}); });
}

}  // namespace taper::nn
