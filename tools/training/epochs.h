// Printed and CSV forms of the results of epochs.
#pragma once
#include <cstdint>
#include <string>

#include "core/number_text.h"
#include "run.h"

namespace training {

std::string epoch_header();
std::string epoch_line(std::int64_t epoch, const EpochResult& r);
/// Returns the results as CSV: a header, and a line per epoch.
std::string to_csv(const std::vector<EpochResult>& history);

using taper::with_commas;

}  // namespace training
