// The table of epochs, line by line.
#pragma once
#include <cstdint>
#include <string>

#include "run.h"

namespace training {

std::string epoch_header();
std::string epoch_line(std::int64_t epoch, const EpochResult& r);
/// Comma-separated, for spreadsheets: a header, and a line for each epoch.
std::string csv_of(const std::vector<EpochResult>& history);

/// 431080 -> "431,080".
std::string with_commas(std::int64_t n);

}  // namespace training
