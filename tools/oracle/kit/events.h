// Parts of the runner of family events.
#pragma once
#include <string>

#include "cases/case.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// Makes the calls of the case with a SummaryWriter for `folder` and closes it.
void log_calls(Case& c, const std::string& folder);

/// Returns the records of all event files under `folder` by run: the path of the directory of the
/// files, "." for `folder` itself.
Value read_runs(const std::string& folder);
/// Returns the tags of each run by kind, and its scalars, as TensorBoard's EventAccumulator finds
/// them.
Value accumulate_runs(const std::string& folder);

/// Returns the parts of a message of the plugins `hparams` and `custom_scalars`, as the JSON form
/// of protocol buffers.
Value decode_hparams(const std::string& content);
Value decode_layout(const std::string& content);
/// Returns the number of thresholds of the plugin `pr_curves`.
std::int64_t decode_num_thresholds(const std::string& content);

}  // namespace taper::oracle
