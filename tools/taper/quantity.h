// Parsing of numbers with units, and of lists of ranks.
#pragma once
#include <string>
#include <vector>

namespace taper::cli {

// `option` is the name of the option in messages. The functions throw UsageError.
/// Returns bytes per second of a text such as "12.5GB/s" or "100Gbit/s", which must be positive.
double parse_bandwidth(const std::string& option, const std::string& text);
/// Returns seconds of a text such as "5us" or "0.1 ms".
double parse_latency(const std::string& option, const std::string& text);
/// Returns the numbers of a list such as "2,4" or "8..1024", which doubles up to its end.
std::vector<int> parse_rank_list(const std::string& option, const std::string& text);

/// Formats seconds with three significant digits: "12.3 ms".
std::string format_seconds(double seconds);

}  // namespace taper::cli
