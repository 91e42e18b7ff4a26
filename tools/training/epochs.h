// Printed and CSV forms of the results of epochs.
#pragma once
#include <cstdint>
#include <string>

#include "run.h"

namespace training {

std::string epoch_header();
std::string epoch_line(std::int64_t epoch, const EpochResult& r);
/// Returns the results as CSV: a header, and a line per epoch.
std::string csv_of(const std::vector<EpochResult>& history);

/// Formats 431080 as "431,080".
std::string with_commas(std::int64_t n);

}  // namespace training
