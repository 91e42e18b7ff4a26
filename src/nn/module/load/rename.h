// Names in a file that are not those of the module.
#pragma once
#include "taper/nn/state_dict.h"

namespace taper::nn {

/// `state` itself if the options rename nothing; else a dict of the same entries and metadata under
/// their new names, which `options.report` is told. Throws ValueError for two entries that get one
/// name.
Value renamed(const Value& state, const LoadStateDictOptions& options);

/// `text` as `to` if it fits `from`, where each `*` stands for some text; unset if it does not.
std::optional<std::string> renamed_by(std::string_view text, std::string_view from,
                                      std::string_view to);

}  // namespace taper::nn
