// Renaming of state dict keys.
#pragma once
#include "taper/nn/state_dict.h"

namespace taper::nn {

/// Returns `state` if the options do not rename anything, otherwise a dict of the same entries and
/// metadata under new names. Entries whose new name is empty are dropped. The changes are recorded
/// in `options.report`. Throws ValueError if two entries receive the same name.
Value rename_keys(const Value& state, const LoadStateDictOptions& options);

}  // namespace taper::nn
