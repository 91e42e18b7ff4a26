// Printed and CSV forms of the results of epochs.
#pragma once
#include <cstdint>
#include <string>

#include "core/number_text.h"
#include "run.h"

namespace training {

std::string epoch_header(Score score);
std::string epoch_line(Score score, std::int64_t epoch, const EpochResult& r);
/// Returns the results as CSV: a header, and a line per epoch.
std::string to_csv(Score score, const std::vector<EpochResult>& history);

using taper::with_commas;

}  // namespace training
