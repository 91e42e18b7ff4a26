// Messages of the dashboards for hyperparameters and custom charts.
#pragma once
#include <string>
#include <vector>

#include "taper/train/summary_options.h"
#include "train/events/message_writer.h"

namespace taper::train::events {

/// Values of a run with hyperparameters: its description, its start and its end.
struct HParamsValues {
  MessageWriter experiment, session_start, session_end;
};
/// Returns the values of a run. Throws TypeError if an argument is not a dict with strings as keys,
/// or a domain is not a list of values of the type of its hyperparameter; ValueError if a
/// hyperparameter has another type.
HParamsValues hparams_values(const Value& hparam_dict, const Value& metric_dict,
                             const Value& hparam_domain_discrete);

/// Returns the serialized Layout of custom charts. Throws ValueError for an unknown type of chart,
/// AssertionError for a margin chart without three tags.
std::string layout_message(const std::vector<CustomChartCategory>& layout);

}  // namespace taper::train::events
