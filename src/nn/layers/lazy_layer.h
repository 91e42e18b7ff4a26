// Helpers for the source files of lazy layers.
#pragma once
#include "nn/layers/options.h"
#include "taper/nn/layer.h"

/// A lazy layer visits the members of its base layer and calls its forward.
#define TAPER_LAZY_LAYER(Name, Base) \
  TAPER_DETAIL_LAYER_CALLS(Name)     \
  TAPER_DETAIL_LAYER_CLASS(Name) { Base::visit_members(visitor); }
