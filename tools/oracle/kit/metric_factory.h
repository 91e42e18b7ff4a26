// Metrics by the name of their class in torchmetrics.
#pragma once
#include <memory>
#include <string>

#include "cases/case.h"
#include "taper/metrics/metric.h"

namespace taper::oracle {

/// Creates a metric such as "classification.BinaryAccuracy". Throws Unsupported for an unknown
/// name, and the errors of the constructor.
std::shared_ptr<metrics::Metric> make_metric(const std::string& name, const Json& args);

}  // namespace taper::oracle
